import { expect, it } from 'vitest';
import { parseKeyCommand } from '../../../reference/keys/arguments.ts';
import { issueArgs } from '../support/keys.ts';

const now = new Date('2026-03-01T12:00:00.000Z');
const parse = (...args: string[]) => parseKeyCommand(args, now);
const issueWith = (...more: string[]) => parse(...issueArgs, ...more);

it.each([
  [issueWith('--expires', '2026-03-01'), ['--expires must be in the future']],
  [issueWith('--expires', '2026-02-30'), ['--expires must be YYYY-MM-DD']],
  [
    parse('issue', '--partner', 'a b', '--contact', 'x\u001b[2Jy', '--scopes', 'site,site:read'),
    [
      '--partner must be 1 to 64 letters, digits, dots, hyphens and underscores',
      '--environment must be test or production',
      '--description must be one line of at most 500 characters',
      '--contact must be one line of at most 200 characters',
      '--scopes must be a list of site:read,conversation:read',
    ],
  ],
  [parse('list', 'x'), ['there are too many arguments']],
  [parse('list', '--foo'), ['there is an unknown option']],
  [parse('list', '--scopes', 'x'), ['--scopes does not apply to list']],
  [parse('__proto__'), ['COMMAND must be one of issue, rotate, revoke, list']],
])('rejects arguments with what they must be (%#)', (result, faults) => {
  expect(result).toEqual({ faults });
});

it('takes the first eight characters of a key; a fault never repeats a whole key', () => {
  const key = 'k7m2x9qa0123456789abcdefghjkmnpqrstvwxyz';
  const mistakes = [
    ['revoke', key],
    ['revoke', 'k7m2x9qa', key],
    [key],
    ['revoke', `--${key}`],
    ['revoke', `-${key}`],
    ['list', `--partner=${key}`, key],
    ['issue', '--environment', key, '--scopes', key, '--expires', key],
  ];
  for (const args of mistakes) {
    const result = parse(...args);
    expect(result).toHaveProperty('faults');
    expect(JSON.stringify(result)).not.toContain('k7m2x9qa0');
    expect(JSON.stringify(result)).not.toContain(key.slice(8));
  }
});
