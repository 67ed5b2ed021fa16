import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { type OutputFile, root, writeOutput } from './output.ts';

/** The files that a build has read and written, by path, each with the SHA-256 of its content. */
interface Record {
  inputs: { [path: string]: string };
  outputs: { [path: string]: string };
}

/** Inputs of every build that no bundler lists: its own code, its options, and the installed packages. */
const commonInputs = [
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  ...readdirSync(import.meta.dirname).map((name) => join('build', name)),
];

/**
 * Runs `build` only if a file that the last one read or wrote has another content since. The record of it is
 * in `node_modules`, so that a new installation builds again. Returns the paths that the build has read and
 * written.
 */
export async function buildIfChanged(
  name: string,
  folder: string,
  build: () => Promise<{ inputs: readonly string[]; outputs: readonly string[] }>,
): Promise<{ inputs: string[]; outputs: string[] }> {
  const file = join(root, 'node_modules/.cache/portico', `${name}-${sha256(folder).slice(0, 16)}.json`);
  const last = readRecord(file);
  if (last && isUnchanged(last.inputs) && isUnchanged(last.outputs))
    return { inputs: Object.keys(last.inputs), outputs: Object.keys(last.outputs) };
  const startMs = Date.now();
  const { inputs, outputs } = await build();
  const read = [...commonInputs, ...inputs].map((path) => resolve(root, path));
  // The build may have read a file that changes meanwhile before or after the change.
  if (read.every((path) => statSync(path).mtimeMs < startMs)) {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, JSON.stringify({ inputs: digestsOf(read), outputs: digestsOf(outputs) }));
  }
  return { inputs: read, outputs: [...outputs] };
}

/**
 * Writes the files of a bundle to `folder`, only if something changed since the last time. Returns the paths
 * that it has read and written.
 */
export async function writeIfChanged(
  name: string,
  folder: string,
  bundle: (folder: string) => Promise<{ inputs: string[]; files: OutputFile[] }>,
): Promise<{ inputs: string[]; outputs: string[] }> {
  return buildIfChanged(name, folder, async () => {
    const { inputs, files } = await bundle(folder);
    writeOutput(files);
    return { inputs, outputs: files.map(({ path }) => path) };
  });
}

function readRecord(file: string): Record | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Record;
  } catch {
    return undefined;
  }
}

function isUnchanged(digests: { [path: string]: string }): boolean {
  return Object.entries(digests).every(
    ([path, digest]) => existsSync(path) && sha256(readFileSync(path)) === digest,
  );
}

function digestsOf(paths: readonly string[]): { [path: string]: string } {
  return Object.fromEntries(paths.map((path) => [path, sha256(readFileSync(path))]));
}

function sha256(data: string | Uint8Array): string {
  return createHash('sha256').update(data).digest('hex');
}
