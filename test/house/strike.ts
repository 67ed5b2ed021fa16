import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The kinds of parts that a gateway may do without: the folders of `src` with a folder for each. */
const kinds = ['features', 'programs'] as const;

/** The parts in a project, each as `features/cache`. */
export function partsIn(root: string): string[] {
  return kinds.flatMap((kind) => {
    const folder = join(root, 'src', kind);
    return existsSync(folder) ? readdirSync(folder).map((name) => `${kind}/${name}`) : [];
  });
}

/** The part with those that import its door, or that of one that does. */
export function withDependants(root: string, part: string): string[] {
  const struck = new Set([part]);
  for (const one of struck) {
    const door = new RegExp(`from '(?:\\.\\./)+(?:features/)?${one.split('/')[1]}/index\\.ts'`);
    for (const other of partsIn(root))
      if (sourcesOf(root, other).some((text) => door.test(text))) struck.add(other);
  }
  return [...struck];
}

/** Strikes parts of a project: deletes their folders, and the lines of `features.ts` that name them. */
export function strike(root: string, parts: readonly string[]): void {
  for (const part of parts) {
    for (const folder of ['src', 'test']) rmSync(join(root, folder, part), { recursive: true, force: true });
  }
  const file = join(root, 'src/features.ts');
  writeFileSync(file, textWithout(readFileSync(file, 'utf8'), parts));
}

/** The composition without the imports of these parts, and without the lines that name what is imported. */
function textWithout(text: string, parts: readonly string[]): string {
  const names = new Set<string>();
  let rest = text.replace(
    /^import (?:type )?\{([^}]*)\} from '\.\/([^']+)\/index\.ts';\n/gm,
    (all, list, part) => {
      if (!parts.includes(part)) return all;
      for (const name of String(list).split(',')) names.add(name.replace(/\btype\b/, '').trim());
      return '';
    },
  );
  // A name that is declared on such a line is struck with it.
  for (const name of names) {
    if (name === '') continue;
    // No property of that name, and no text.
    const mention = new RegExp(`(?<!(?<!\\.\\.)\\.)(?<![\\w$'])${name}\\b(?!['\\w]|: )`);
    const lines = rest.split('\n');
    for (const line of lines.filter((one) => mention.test(one) && !isComment(one))) {
      const [, declared] = /^\s*(?:export )?const (\w+) =/.exec(line) ?? [];
      if (declared) names.add(declared);
    }
    rest = lines.filter((line) => isComment(line) || !mention.test(line)).join('\n');
  }
  return rest;
}

function isComment(line: string): boolean {
  return /^\s*(?:\/\/|\/?\*)/.test(line);
}

function sourcesOf(root: string, part: string): string[] {
  const folder = join(root, 'src', part);
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => readFileSync(join(folder, name), 'utf8'));
}
