import { execFileSync } from 'node:child_process';

/** The process ids of the workers of a gateway. */
export function workersOf(supervisor: number): number[] {
  return execFileSync('ps', ['-A', '-o', 'pid=,ppid=,args='], { encoding: 'utf8' })
    .split('\n')
    .map((line) => /^\s*(\d+)\s+(\d+)\s.*main\.js/.exec(line))
    .filter((match) => Number(match?.[2]) === supervisor)
    .map((match) => Number(match?.[1]));
}
