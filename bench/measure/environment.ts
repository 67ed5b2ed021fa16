import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cpus, release, totalmem, type } from 'node:os';
import { inBench } from '../paths.ts';
import { canPin } from '../processes/cores.ts';

/** Describes this machine, and the upstream of a run. */
export function describeMachine(nginx: string | undefined): string {
  const cores = `${cpus().length} cores of ${cpus()[0]?.model ?? 'an unknown processor'}`;
  const memory = `${Math.round(totalmem() / 2 ** 30)} GiB`;
  const upstream = nginx ? `nginx ${nginx}` : 'a Node server as the REST API';
  const pinning = canPin ? '' : ', **processes not pinned to cores**';
  return `${cores}, ${memory}, ${type()} ${release()}, ${upstream}${pinning}`;
}

/** The installed versions of the contenders. */
export function installedVersions(): string {
  const names = ['undici', 'mercurius', 'graphql-jit', 'graphql-yoga', '@apollo/server'];
  return names.map((name) => `${name} ${versionOf(name)}`).join(', ');
}

function versionOf(name: string): string {
  const file = inBench(`../node_modules/${name}/package.json`);
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}

/** The commit of the working tree. @throws Error if the tree is not clean */
export function commitOfCleanTree(): string {
  const git = (...args: string[]) =>
    spawnSync('git', args, { cwd: inBench('.'), encoding: 'utf8' }).stdout.trim();
  const changed = git('status', '--porcelain');
  if (changed !== '')
    throw new Error(`Results are recorded of a commit, but the tree has changes:\n${changed}`);
  return git('rev-parse', 'HEAD');
}
