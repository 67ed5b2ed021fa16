import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** Most that git may print, in bytes: the paths of all files, or the texts of those that are read. */
const MAX_OUTPUT = 512 * 1024 * 1024;

/** Runs git, and returns what it prints. Rejects with the first line of its complaint. */
export async function git(args: string[], { input = '', cwd = '.' } = {}): Promise<Buffer> {
  const running = promisify(execFile)('git', args, { cwd, encoding: 'buffer', maxBuffer: MAX_OUTPUT });
  // A git that fails does not read its input.
  running.child.stdin?.on('error', () => {}).end(input);
  const { stdout } = await running.catch((error: NodeJS.ErrnoException & { stderr?: Buffer }) => {
    if (error.code === 'ENOENT') throw new Error('git is not installed');
    const [complaint] = `${error.stderr ?? ''}`.replace('fatal: ', '').split('\n');
    throw new Error(`git fails: ${complaint || error.code}`);
  });
  return stdout;
}
