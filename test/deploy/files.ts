import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parse } from 'yaml';
import { settings } from '../../src/config/settings.ts';
import { referenceSettings } from '../../src/reference/config.ts';

export const root = resolve(import.meta.dirname, '../..');
export const textOf = (path: string) => readFileSync(resolve(root, path), 'utf8');

/** A YAML document, in which a name said twice is a fault; of what type it is, a schema has to say. */
export function yamlOf<T>(path: string): T {
  return parse(textOf(path), { merge: true }) as T;
}

/** Names that the gateway and the reference read from their environment; Node itself reads the last one. */
export const settingNames = [
  ...Object.keys(settings.shape),
  ...Object.keys(referenceSettings.shape),
  'NODE_OPTIONS',
];

/** Whether an image's name begins with a host, as `registry.example/name` does. */
export function namesHost(image: string): boolean {
  const [first = '', ...rest] = image.split('/');
  return rest.length > 0 && /[.:]|^localhost$/.test(first);
}
