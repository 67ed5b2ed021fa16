/**
 * Passes what the panel shows of `extensions` to `onValue`, in a response, one part of it or an event; returns
 * the response without it.
 */
export function takeExtension<T extends { extensions?: unknown }>(
  part: T,
  name: 'upstream' | 'quota',
  onValue: (value: never) => void,
): T {
  const { extensions, ...rest } = part as T & { extensions?: Record<string, unknown> };
  if (!extensions?.[name]) return part;
  const { [name]: value, ...others } = extensions;
  onValue(value as never);
  return (Object.keys(others).length > 0 ? { ...rest, extensions: others } : rest) as T;
}
