/** The `extensions.code` of the errors of a response, each once; none in a text that is no response. */
export function codesIn(text: string): string[] {
  const codes = new Set<string>();
  for (const { extensions } of errorsIn(text)) {
    if (typeof extensions?.code === 'string') codes.add(extensions.code);
  }
  return [...codes];
}

function errorsIn(text: string): { extensions?: { code?: unknown } }[] {
  try {
    const { errors } = JSON.parse(text);
    return Array.isArray(errors) ? errors : [];
  } catch {
    return [];
  }
}
