import { parse } from 'yaml';
import { allSections } from '../../src/command/help.ts';
import { settings } from '../../src/features.ts';
import { textOf } from '../support/files.ts';

/** A YAML document, in which a duplicate key is an error; the schema of the test decides its type. */
export function yamlOf<T>(path: string): T {
  return parse(textOf(path), { merge: true }) as T;
}

/** Variables that the gateway, the reference and Node itself read. */
export const settingNames = [
  ...Object.values(allSections(settings)).flatMap((section) => Object.keys(section)),
  'NODE_OPTIONS',
];

/** Whether an image's name begins with a host, as `registry.example/name` does. */
export function namesHost(image: string): boolean {
  const [first = '', ...rest] = image.split('/');
  return rest.length > 0 && /[.:]|^localhost$/.test(first);
}

/** The stages of a Dockerfile, each with the lines of its instructions: none goes over several lines. */
export function readDockerfile(path = 'deploy/Dockerfile'): string[][] {
  const lines = textOf(path)
    .split('\n')
    .filter((line) => /^[A-Z]/.test(line));
  const starts = lines.flatMap((line, index) => (line.startsWith('FROM ') ? [index] : []));
  return starts.map((start, n) => lines.slice(start, starts[n + 1]));
}

/** The arguments of an instruction of the final stage, after its options. */
export function instruction(keyword: string, path?: string): string {
  const line = readDockerfile(path)
    .at(-1)
    ?.find((line) => line.startsWith(`${keyword} `));
  return line?.replace(/^\w+ (--\S+ )*(CMD )?/, '') ?? '';
}

/** The paths that deploy/Dockerfile.dockerignore takes back after it ignores everything. */
export function readBuildContext(): string[] {
  const [first, ...paths] = textOf('deploy/Dockerfile.dockerignore')
    .split('\n')
    .filter((line) => /^[^#]/.test(line));
  if (first !== '*' || paths.some((path) => !path.startsWith('!'))) {
    throw new Error('deploy/Dockerfile.dockerignore must begin with *, and then only re-include paths');
  }
  return paths.map((path) => path.slice(1));
}
