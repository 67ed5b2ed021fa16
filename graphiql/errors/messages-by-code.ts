/** The messages of the errors of a response by `extensions.code`, each once; none in a text that is no response. */
export function messagesByCode(text: string): ReadonlyMap<string, readonly string[]> {
  const messages = new Map<string, string[]>();
  for (const { message, extensions } of errorsIn(text)) {
    if (typeof extensions?.code !== 'string') continue;
    const ofCode = messages.get(extensions.code) ?? [];
    messages.set(extensions.code, ofCode);
    if (typeof message === 'string' && !ofCode.includes(message)) ofCode.push(message);
  }
  return messages;
}

function errorsIn(text: string): { message?: unknown; extensions?: { code?: unknown } }[] {
  try {
    const { errors } = JSON.parse(text);
    return Array.isArray(errors) ? errors : [];
  } catch {
    return [];
  }
}
