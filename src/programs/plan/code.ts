import { runInNewContext } from 'node:vm';
import { type GraphQLTagPluckOptions, parseCode } from '@graphql-tools/graphql-tag-pluck';
import type { Fault, PlanSource } from '../../features/explain/index.ts';

/** Whether code of this kind is read. */
export const isCode = (path: string): boolean => /\.([cm]?[jt]sx?|flow|vue|svelte)$/i.test(path);

/** Every tag and every comment of a document has one of these words; other code is not parsed. */
const MAY_HOLD = /gql|graphql/i;

/** The longest time in which a script is parsed: nested generics take a time that doubles with each. */
const PARSING_MS = 5000;

/**
 * The documents in the literals of code; an error for code that cannot be parsed, and may have one. An
 * expression in a literal is a blank there: it is a fragment of another literal, which is found by its name.
 */
export function documentsInCode(
  path: string,
  code: string,
  placeAt: PlanSource['placeAt'],
): (PlanSource | Fault)[] {
  return scriptsOf(path.toLowerCase(), code).flatMap(({ filePath, text, start }): (PlanSource | Fault)[] => {
    if (!MAY_HOLD.test(text)) return [];
    try {
      return literalsIn(filePath, text).map((literal) => ({
        text: literal.content,
        isTrusted: false,
        placeAt: (position) => placeAt(start + literal.start + 1 + position),
      }));
    } catch (error) {
      return [faultOf(error as Error, (position) => placeAt(start + position))];
    }
  });
}

/** The literals with documents. Throws where the code cannot be parsed, or not within the limit of time. */
function literalsIn(filePath: string, code: string): ReturnType<typeof parseCode> {
  const read = () => parseCode({ code, filePath, options });
  // Stops whatever is called in the context, with an error.
  return runInNewContext('read()', { read }, { timeout: PARSING_MS });
}

function faultOf(error: Error & { code?: string; pos?: number }, placeAt: PlanSource['placeAt']): Fault {
  const { code, message, pos } = error;
  if (code === 'ERR_SCRIPT_EXECUTION_TIMEOUT')
    return { ...placeAt(0), message: `cannot be parsed within ${PARSING_MS / 1000} s` };
  // The message of the parser repeats the place. Another error is one of the stack.
  const shown = pos === undefined ? `cannot be parsed: ${message}` : message.replace(/ \(\d+:\d+\)$/, '');
  return { ...placeAt(pos ?? 0), message: shown };
}

const options: GraphQLTagPluckOptions = {
  isGqlTemplateLiteral: (node) =>
    /^\s*(gql|graphql)\s*$/i.test(node.leadingComments?.at(-1)?.value.replace(/^\*/, '') ?? '') ||
    (node.type === 'TemplateLiteral' && /^\s*#\s*(gql|graphql)\b/i.test(node.quasis[0]?.value.raw ?? '')),
  pluckStringFromFile(code, { quasis }) {
    const [first] = quasis;
    let [text, position] = ['', first?.start ?? 0];
    for (const { start, end } of quasis) {
      text += ' '.repeat((start ?? 0) - position) + unescaped(code.slice(start ?? 0, end ?? 0));
      position = end ?? 0;
    }
    return text;
  },
};

/** What some escape sequences stand for; a line that is continued has no break. */
const CONTROLS: { [escaped: string]: string } = { n: '\n', r: '\r', t: '\t', '\n': ' ' };

/** A text of a literal without its escape sequences, at the same positions. GraphQL has those with digits too. */
function unescaped(text: string): string {
  return text.replace(/\\(.)/gs, (sequence, escaped: string) => {
    const plain = CONTROLS[escaped] ?? (/\w/.test(escaped) ? undefined : escaped);
    return plain === undefined ? sequence : ` ${plain}`;
  });
}

interface Script {
  /** By its ending the parser knows the language. */
  filePath: string;
  text: string;
  start: number;
}

/** A comment, or a script: its attributes, and its code. Each of them may be left open: to the end of the text. */
const SCRIPT =
  /<!--.*?(?:-->|$)|<script(?=[\s>/])((?:[^>"']|"[^"]*(?:"|$)|'[^']*(?:'|$))*)(?:(?<!\/)>(.*?)(?:<\/script|$)|\/>|$)/dgis;

/** The code of a file: the scripts of a component of Vue or Svelte, whose template is not read. */
function scriptsOf(path: string, text: string): Script[] {
  if (!/\.(vue|svelte)$/.test(path)) return [{ filePath: path, text, start: 0 }];
  return [...text.matchAll(SCRIPT)].map(({ 1: attributes = '', 2: code = '', indices }) => ({
    filePath: /\blang\s*=\s*["']?[jt]sx/i.test(attributes) ? 'script.tsx' : 'script.ts',
    text: code,
    start: indices?.[2]?.[0] ?? 0,
  }));
}
