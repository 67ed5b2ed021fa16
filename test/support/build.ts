import { execFileSync } from 'node:child_process';

/** Vitest's global setup: compiles what changed, because tests of processes run `dist/`, as it is shipped. */
export function setup(): void {
  execFileSync(process.execPath, ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json'], {
    stdio: 'inherit',
  });
}
