/** When an error has a code, and what to do then, as Markdown of one line. */
interface ErrorCode {
  when: string;
  whatToDo: string;
}

/** Reads docs/errors.md: its rows have the form "| `CODE` | when | what to do |". */
export function parseErrorCodes(page: string): Map<string, ErrorCode> {
  const rows = page.matchAll(/^\| `([A-Z_]+)` \| (.+) \| (.+) \|$/gm);
  return new Map([...rows].map(([, code = '', when = '', whatToDo = '']) => [code, { when, whatToDo }]));
}

/** The codes of the errors of a response, each once; none in a text that is no response. */
export function codesIn(text: string): string[] {
  try {
    const { errors } = JSON.parse(text);
    const codes = (errors as { extensions?: { code?: string } }[]).map(({ extensions }) => extensions?.code);
    return [...new Set(codes.filter((code) => code !== undefined))];
  } catch {
    return [];
  }
}
