import { execFileSync } from 'node:child_process';

/** Vitest's global setup: writes what changed, because tests of processes run `dist/`, as it is shipped. */
export function setup(): void {
  execFileSync(process.execPath, ['--import', 'tsx', 'build/main.ts'], { stdio: 'inherit' });
}
