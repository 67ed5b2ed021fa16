import {
  isMap,
  isScalar,
  Lexer,
  LineCounter,
  type Node,
  Parser,
  parseDocument,
  visit,
  type YAMLError,
} from 'yaml';

/** What a map in YAML says of one name. */
export interface Entry {
  name: string;
  line: number;
  /** Null where the name stands alone. */
  node: Node | null;
}

export interface Fault {
  line: number;
  text: string;
}

/** Nothing in a settings file is nested; and whoever recurses into a text without a bound may run out of stack. */
const MAX_NESTING = 20;
const mustBeMap = 'must be a map of settings, such as PORT: 4000';

/** The entries of one flat map in YAML 1.2, and what is wrong with the text. No fault repeats a value: it may be secret. */
export function entriesFromYaml(text: string): { entries: Entry[]; faults: Fault[] } {
  if (isNestedTooDeep(text)) return { entries: [], faults: [{ line: 1, text: mustBeMap }] };
  const lines = new LineCounter();
  const lineAt = (offset = 0) => Math.max(1, lines.linePos(offset).line);
  const document = parseDocument(text, {
    schema: 'core',
    lineCounter: lines,
    prettyErrors: false,
    stringKeys: true,
    uniqueKeys: false,
  });
  if (document.errors.length > 0) {
    const faults = document.errors.map((error) => ({ line: lineAt(error.pos[0]), text: wordsFrom(error) }));
    return { entries: [], faults };
  }

  const faults: Fault[] = [];
  const blame = (node: Node, text: string) => void faults.push({ line: lineAt(node.range?.[0]), text });
  visit(document, {
    Alias: (_, node) => blame(node, 'must hold no alias'),
    Value(_, node) {
      if (node.anchor !== undefined) blame(node, 'must hold no anchor');
      if (node.tag !== undefined) blame(node, 'must hold no tag');
    },
  });
  const { contents } = document;
  if (contents !== null && !isMap(contents)) blame(contents, mustBeMap);
  const entries = (isMap(contents) ? contents.items : []).map(({ key, value }) => ({
    name: isScalar(key) ? String(key.value) : '',
    line: lineAt(key.range?.[0]),
    node: value,
  }));
  return { entries, faults };
}

/** Asks the parser, which keeps a stack of its own: what builds the document recurses. */
function isNestedTooDeep(text: string): boolean {
  const parser = new Parser();
  for (const lexeme of new Lexer().lex(text)) {
    for (const _ of parser.next(lexeme));
    if (parser.stack.length > MAX_NESTING) return true;
  }
  return false;
}

/** The library's words, up to where they would quote the text. */
function wordsFrom({ code, message }: YAMLError): string {
  if (code === 'MULTIPLE_DOCS') return 'is not YAML: there is more than one document';
  const quotes = code === 'UNEXPECTED_TOKEN' || code === 'BAD_DQ_ESCAPE';
  return `is not YAML: ${quotes ? message.replace(/: .*| \\.*/s, '') : message}`;
}
