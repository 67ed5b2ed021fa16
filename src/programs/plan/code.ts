import { type GraphQLTagPluckOptions, parseCode } from '@graphql-tools/graphql-tag-pluck';
import type { Fault, PlanSource } from '../../features/explain/index.ts';

/** True if code of this kind is read. */
export const isCode = (path: string): boolean => /\.([cm]?[jt]sx?|vue|svelte)$/i.test(path);

/** Every tag and every comment of a document has one of these words; other code is not parsed. */
const MAY_HOLD = /gql|graphql/i;

/** A script of a component: its attributes, and its code. */
const SCRIPT = /<script\b([^<>]*)(?<!\/)>(.*?)(?:<\/script|$)/dgis;

/** The documents in the literals of code; an error for code that cannot be parsed, and may have one. */
export function documentsInCode(
  path: string,
  code: string,
  placeAt: PlanSource['placeAt'],
): (PlanSource | Fault)[] {
  if (!/\.(vue|svelte)$/i.test(path)) return documentsInScript(path.toLowerCase(), code, placeAt);
  return [...code.matchAll(SCRIPT)].flatMap(({ 1: attributes = '', 2: text = '', indices }) => {
    const [start = 0] = indices?.[2] ?? [];
    const filePath = /\blang\s*=\s*["']?[jt]sx/i.test(attributes) ? 'script.tsx' : 'script.ts';
    return documentsInScript(filePath, text, (position) => placeAt(start + position));
  });
}

/** `filePath`: by its ending the parser knows the language. */
function documentsInScript(
  filePath: string,
  code: string,
  placeAt: PlanSource['placeAt'],
): (PlanSource | Fault)[] {
  if (!MAY_HOLD.test(code)) return [];
  try {
    return parseCode({ code, filePath, options }).map(({ content: text, start }) => ({
      text,
      isTrusted: false,
      placeAt: (position) => placeAt(start + 1 + position),
    }));
  } catch (error) {
    const { message, pos } = error as Error & { pos?: number };
    // The message of the parser repeats the place. Another error is one of the stack.
    const shown = pos === undefined ? `cannot be parsed: ${message}` : message.replace(/ \(\d+:\d+\)$/, '');
    return [{ ...placeAt(pos ?? 0), message: shown }];
  }
}

/**
 * Keeps each position of a literal. An expression is a blank: it is a fragment of another literal, which is found
 * by its name.
 */
const options: GraphQLTagPluckOptions = {
  pluckStringFromFile(code, { quasis }) {
    let [text, position] = ['', quasis[0]?.start ?? 0];
    for (const { start, end } of quasis) {
      text += ' '.repeat((start ?? 0) - position) + code.slice(start ?? 0, end ?? 0);
      position = end ?? 0;
    }
    return text.replace(/\\([`\\$])/g, ' $1');
  },
};
