import { type ParserPlugin, parse } from '@babel/parser';
import type { Fault, PlanSource } from '../../features/explain/index.ts';

/** The place of a position of the code. */
type PlaceAt = PlanSource['placeAt'];

/** Whether code of this kind is read. */
export const isCode = (path: string): boolean => /\.([cm]?[jt]sx?|flow|vue|svelte|astro)$/i.test(path);

/**
 * The documents in the literals of code; an error for code that cannot be parsed, and may have one. An
 * expression in a literal is a blank there: it is a fragment of another literal, which is found by its name.
 */
export function documentsInCode(path: string, code: string, placeAt: PlaceAt): (PlanSource | Fault)[] {
  const kind = path.slice(path.lastIndexOf('.') + 1).toLowerCase();
  return scriptsOf(kind, code).flatMap(({ kind, text, start }): (PlanSource | Fault)[] => {
    const placeIn: PlaceAt = (position) => placeAt(start + position);
    try {
      return literalsIn(kind, text).map((literal) => documentIn(literal, text, placeIn));
    } catch (error) {
      if (!MAY_HOLD.test(text)) return [];
      const { message, pos } = error as Error & { pos?: number };
      const isSyntax = pos !== undefined;
      // The message repeats the place. Another error is one of the stack.
      const shown = isSyntax ? message.replace(/ \(\d+:\d+\)$/, '') : `cannot be parsed: ${message}`;
      return [{ ...placeIn(pos ?? 0), message: shown }];
    }
  });
}

interface Script {
  /** The ending of a file with such code. */
  kind: string;
  text: string;
  start: number;
}

/** A comment, or a script: its attributes, and its code. Each of them may be left open: to the end of the text. */
const SCRIPT =
  /<!--.*?(?:-->|$)|<script(?=[\s>/])((?:[^>"']|"[^"]*(?:"|$)|'[^']*(?:'|$))*)(?:(?<!\/)>(.*?)(?:<\/script|$)|\/>|$)/dgis;

/** The code between the fences at the start of an Astro component. */
const FRONTMATTER = /^\s*---(.*?)(?:\n---|$)/ds;

/** The code of a file: the scripts of a component of Vue, Svelte or Astro, whose template is not read. */
function scriptsOf(kind: string, text: string): Script[] {
  if (!/^(vue|svelte|astro)$/.test(kind)) return [{ kind, text, start: 0 }];
  const head = kind === 'astro' ? FRONTMATTER.exec(text) : null;
  const rest = head?.[0].length ?? 0;
  const scripts = [...text.slice(rest).matchAll(SCRIPT)].map(
    ({ 1: attributes = '', 2: code = '', indices }) => ({
      kind: /\blang\s*=\s*["']?[jt]sx/i.test(attributes) ? 'tsx' : 'ts',
      text: code,
      start: rest + (indices?.[2]?.[0] ?? 0),
    }),
  );
  const [, frontmatter = ''] = head ?? [];
  return [{ kind: 'ts', text: frontmatter, start: head?.indices?.[1]?.[0] ?? 0 }, ...scripts];
}

/** Syntax that is newer than the parser's default, or was a proposal. */
const proposals =
  'decorators-legacy decoratorAutoAccessors deferredImportEvaluation sourcePhaseImports ' +
  'explicitResourceManagement doExpressions exportDefaultFrom throwExpressions functionBind moduleBlocks';
const plugins = [
  ...(proposals.split(' ') as ParserPlugin[]),
  ['optionalChainingAssign', { version: '2023-07' }],
  ['importAttributes', { deprecatedAssertSyntax: true }],
  ['pipelineOperator', { proposal: 'fsharp' }],
] satisfies ParserPlugin[];

/** What a document is written with. A file that cannot be parsed, and has none of it, has no document. */
const MAY_HOLD =
  /\bg(raph)?ql\b[^'"`;]{0,300}?(`|[(/]\s*['"])|`\s*#\s*g(raph)?ql\b|\bg(raph)?ql( as |:)|graphql-tag/i;

type Statement = ReturnType<typeof parse>['program']['body'][number];
type Node = Statement | Extract<Statement, { type: 'ExpressionStatement' }>['expression'];
type NodeOf<Type extends Node['type']> = Extract<Node, { type: Type }>;
type Literal = NodeOf<'TemplateLiteral' | 'StringLiteral'>;

/** Each node, in any order, without recursion: code may be deeper than the stack. */
function* nodesIn(root: object): Generator<Node> {
  const rest = [root];
  for (let node = rest.pop(); node; node = rest.pop()) {
    if ('type' in node) yield node as Node;
    for (const [name, child] of Object.entries(node))
      if (typeof child === 'object' && child !== null && name !== 'loc') rest.push(child);
  }
}

/** The literals with documents, in their order. */
function literalsIn(kind: string, code: string): Literal[] {
  const languages: ParserPlugin[] = [/^[cm]?ts/.test(kind) ? 'typescript' : 'flow'];
  if (!/^[cm]?ts$/.test(kind)) languages.push('jsx');
  const ast = parse(code, {
    sourceType: 'module',
    errorRecovery: true,
    allowReturnOutsideFunction: true,
    plugins: [...languages, ...plugins],
  });
  const tags = new Set([
    'gql',
    'graphql',
    ...RENAMED.flatMap((rule) => [...code.matchAll(rule)].map(([, name]) => name)),
  ]);
  const announced = new Set<unknown>();
  for (const { value, end = 0 } of ast.comments ?? [])
    if (COMMENT.test(value)) announced.add(end + code.slice(end).search(/[^\s(]/));
  const found = new Set<Literal>();
  for (const node of nodesIn(ast.program)) {
    const [name, literal] = taggedBy(node);
    if (literal && isLiteral(literal) && tags.has(name)) found.add(literal);
    if (!isLiteral(node)) continue;
    const { start, end } = spanOf(node);
    if (announced.has(start) || FIRST_LINE.test(code.slice(start + 1, end))) found.add(node);
  }
  return [...found].sort((one, other) => spanOf(one).start - spanOf(other).start);
}

/** The names that a tag is given: where it is imported or required, and by a constant. */
const RENAMED = [
  /\b(?:import(?:\s+[\w$]+\s*,)?|const|let|var)\s*\{[^}]{0,1000}\bg(?:raph)?ql\s*(?:as\b|:)\s*([\w$]+)/g,
  /\bimport\s+(?:\{[^}]{0,200}\bdefault\s+as\s+)?([\w$]+)[^;'"]{0,1000}['"][^'"]*(?:graphql-tag|gql)/g,
  /(?<![\w$])([\w$]+)\s*=\s*require\(\s*['"][^'"]*(?:graphql-tag|gql)/g,
  /\b(?:const|let|var)\s+([\w$]+)\s*(?::[^;\n]{0,200}?)?=\s*(?:[\w$]+\.)?g(?:raph)?ql\s*(?:[;,\n]|\/[/*]|$)/g,
];

/** A comment before a document, and a comment of GraphQL at its beginning. */
const COMMENT = /^\s*(?:\*\s*)?g(raph)?ql\s*$/i;
const FIRST_LINE = /^\s*#\s*g(raph)?ql\b/i;

/** A string without a brace is a path, or a word. */
function isLiteral(node: object): node is Literal {
  const { type, value } = node as { type?: string; value?: unknown };
  return (
    type === 'TemplateLiteral' ||
    (type === 'StringLiteral' && typeof value === 'string' && value.includes('{'))
  );
}

/** The name of the function or the tag of a literal, the last one of `apollo.gql`, and the literal. */
function taggedBy(node: Node): [name?: string | undefined, literal?: object] {
  if (node.type === 'TaggedTemplateExpression') return [calleeNameOf(node.tag), node.quasi];
  if (node.type !== 'CallExpression') return [];
  const name = calleeNameOf(node.callee);
  // `octokit.graphql(…)` sends a document to another API.
  if (node.callee.type !== 'Identifier' && name === 'graphql') return [];
  const [first = {}] = node.arguments;
  const { expression = first } = first as { expression?: object };
  // Without `as const`.
  return [name, expression];
}

function calleeNameOf(node: object): string | undefined {
  // An expression has a type beside it, or a mark that it is not null.
  const { name, expression, property = expression } = node as { name?: string; [child: string]: unknown };
  return property ? calleeNameOf(property) : name;
}

/** The document in a literal of a script. */
function documentIn(literal: Literal, script: string, placeAt: PlaceAt): PlanSource {
  const whole = spanOf(literal);
  let rest = whole.start + 1;
  let text = '';
  const parts = [{ at: 0, original: rest }];
  const replace = (start: number, end: number, by: string) => {
    text += `${script.slice(rest, start)}${by}`;
    rest = end;
    parts.push({ at: text.length, original: end });
  };
  const quasis = literal.type === 'TemplateLiteral' ? literal.quasis.map(spanOf) : [whole];
  for (const [n, { start, end }] of quasis.entries()) {
    for (const { 0: sequence, 1: escaped = '', index } of script.slice(start, end).matchAll(ESCAPE)) {
      // GraphQL has the escape sequences with digits too.
      const plain = CONTROLS[escaped] ?? (/\w/.test(escaped) ? sequence : escaped);
      replace(start + index, start + index + sequence.length, plain);
    }
    const next = quasis[n + 1];
    if (next) replace(end, next.start, ' ');
  }
  return {
    text: `${text}${script.slice(rest, whole.end - 1)}`,
    isTrusted: false,
    placeAt(position) {
      const { at, original } = parts.findLast((part) => part.at <= position) ?? { at: 0, original: 0 };
      return placeAt(original + position - at);
    },
  };
}

function spanOf({ start, end }: { start?: number | null; end?: number | null }) {
  return { start: start ?? 0, end: end ?? 0 };
}

const ESCAPE = /\\(\r\n|.)/gs;

/** What some escape sequences stand for; a line that is continued has no break. */
const CONTROLS: { [escaped: string]: string } = { n: '\n', r: '\r', t: '\t', '\n': '', '\r\n': '' };
