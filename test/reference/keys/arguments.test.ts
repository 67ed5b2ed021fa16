import { expect, it } from 'vitest';
import { parseKeyCommand, usage } from '../../../reference/keys/arguments.ts';
import { issueArgs } from '../support/keys.ts';

const now = new Date('2026-03-01T12:00:00.000Z');
const parse = (...args: string[]) => parseKeyCommand(args, now);
const issueWith = (...more: string[]) => parse(...issueArgs, ...more);

it('parses the arguments into a command', () => {
  expect(issueWith()).toEqual({
    verb: 'issue',
    partner: 'acme',
    environment: 'test',
    description: 'Shows sites on a map',
    contact: 'maps@acme-property.example',
    scopes: ['site:read', 'conversation:read'],
    expires: null,
    'link-hours': 24,
    show: false,
  });
  expect(parse('list')).toEqual({ verb: 'list', json: false });
  expect(parse('--json', 'list', '--partner=acme')).toEqual({
    verb: 'list',
    json: true,
    partner: 'acme',
  });
  expect(parse('rotate', 'demo-acm', '--link-hours', '1')).toEqual({
    verb: 'rotate',
    NAME: 'demo-acm',
    expires: null,
    'link-hours': 1,
  });
});

it('takes an expiry in the future, as a date or a time', () => {
  for (const [text, expires] of [
    ['2026-03-02', '2026-03-02T00:00:00.000Z'],
    ['2026-03-01T14:00:01+02:00', '2026-03-01T12:00:01.000Z'],
  ] as const) {
    expect(issueWith('--expires', text)).toMatchObject({ expires });
  }
  for (const past of ['2026-03-01', '2026-03-01T12:00:00Z', '2026-03-01T14:00:00+02:00']) {
    expect(issueWith('--expires', past)).toEqual({ faults: ['--expires must be in the future'] });
  }
  for (const none of ['tomorrow', '2026-02-30', '2027', '1']) {
    expect(issueWith('--expires', none)).toEqual({
      faults: ['--expires must be YYYY-MM-DD or an RFC 3339 time'],
    });
  }
});

it('takes one or more scopes, in any order', () => {
  const scopesOf = (list: string) => parse(...issueArgs.slice(0, -1), list);
  expect(scopesOf('conversation:read, site:read,site:read')).toMatchObject({
    scopes: ['site:read', 'conversation:read'],
  });
  for (const list of ['', ',', 'site', 'site:read,site:write', 'site:read conversation:read']) {
    expect(scopesOf(list), list).toEqual({
      faults: ['--scopes must be a list of site:read,conversation:read'],
    });
  }
});

it('limits the time to live of a link to one hour up to a week', () => {
  for (const hours of ['1', '168']) {
    expect(issueWith('--link-hours', hours)).toMatchObject({ 'link-hours': Number(hours) });
  }
  for (const hours of ['0', '169', '1.5', '-1', '1e1', ' 1']) {
    expect(issueWith(`--link-hours=${hours}`), hours).toEqual({
      faults: ['--link-hours must be a whole number from 1 to 168'],
    });
  }
});

it('rejects arguments with what they must be', () => {
  expect(parse('issue', '--partner', 'a b', '--contact', 'x\u001b[2Jy')).toEqual({
    faults: [
      '--partner must be 1 to 64 letters, digits, dots, hyphens and underscores',
      '--environment must be test or production',
      '--description must be one line of at most 500 characters',
      '--contact must be one line of at most 200 characters',
      '--scopes must be a list of site:read,conversation:read',
    ],
  });
  expect(parse('list', 'x')).toEqual({ faults: ['there are too many arguments'] });
  expect(parse('list', '--foo')).toEqual({ faults: ['there is an unknown option'] });
  expect(parse('list', '--partner')).toEqual({ faults: [expect.stringContaining('--partner')] });
  expect(parse('list', '--scopes', 'x')).toEqual({ faults: ['--scopes does not apply to list'] });
  for (const args of [[], ['steal'], ['constructor'], ['__proto__']]) {
    expect(parse(...args)).toEqual({
      faults: ['COMMAND must be one of issue, rotate, revoke, list, show'],
    });
  }
});

it('takes the first eight characters of a key; a fault never repeats a whole key', () => {
  const key = 'k7m2x9qa0123456789abcdefghjkmnpqrstvwxyz';
  const mistakes = [
    ['revoke', key],
    ['revoke', 'k7m2x9qa', key],
    [key],
    ['revoke', `--${key}`],
    ['revoke', `-${key}`],
    ['show', `--partner=${key}`],
    ['issue', '--environment', key, '--scopes', key, '--expires', key, '--link-hours', key],
  ];
  for (const args of mistakes) {
    const result = parse(...args);
    expect(result).toHaveProperty('faults');
    expect(JSON.stringify(result)).not.toContain('k7m2x9qa0');
    expect(JSON.stringify(result)).not.toContain(key.slice(8));
  }
});

it('prints every option for --help', () => {
  expect(parse('--help')).toEqual({ verb: 'help' });
  expect(parse('issue', '--help')).toEqual({ verb: 'help' });
  for (const arg of issueArgs.filter((arg) => arg.startsWith('--'))) expect(usage).toContain(arg);
});
