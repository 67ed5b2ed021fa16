import { expect, it } from 'vitest';
import { invocationFrom } from '../../src/command/arguments.ts';
import { commands } from '../../src/features.ts';

/** What a command line asks for: the name of the command, and what that reads. */
function parsed(args: string[]) {
  const request = invocationFrom(args, commands);
  if (request.name === 'help') return { ...request, of: request.of?.name };
  if (request.name !== 'run') return request;
  const { command, given } = request;
  return { name: command.name, given: [...given.options.keys()] };
}

it.each<[string, object]>([
  ['', { name: 'serve' }],
  ['check-config', { name: 'check-config', given: [] }],
  ['print-schema', { name: 'print-schema', given: [] }],
  ['print-schema --live', { name: 'print-schema', given: ['live'] }],
  ['print-schema --federation', { name: 'print-schema', given: ['federation'] }],
  ['--help', { name: 'help', of: undefined }],
  ['--version', { name: 'version' }],
  ['plan --version', { name: 'version' }],
  ['mcp --version', { name: 'version' }],
  ['check-config --help', { name: 'help', of: 'check-config' }],
  ['print-schema -h', { name: 'help', of: 'print-schema' }],
  ['nonsense --help', { name: 'help', of: undefined }],
  ['--help plan --nonsense', { name: 'help', of: 'plan' }],
])('parses `portico %s`', (line, expected) => {
  expect(parsed(line.split(' ').filter(Boolean))).toEqual(expected);
});

it.each<[string, ...string[]]>([
  ['--threads 4000', 'unknown option: --threads', 'unknown command: argument 2'],
  ['--k3y', 'unknown option: argument 1'],
  ['serve', 'unknown command: serve'],
  ['check-config portico.env', 'check-config takes no arguments'],
  ['plan a --json=1', '--json takes no value'],
  ['--toString', 'unknown option: --toString'],
  ['check-config --json', '--json is not an option of check-config'],
  ['--json', '--json is not an option of serve'],
  ['plan a --live', '--live is not an option of plan'],
  ['print-schema --live --federation', '--federation and --live exclude each other'],
  [
    'serve --foo --operation',
    'unknown option: --foo',
    '--operation requires the name of an operation',
    'unknown command: serve',
  ],
])('rejects `portico %s`', (line, ...faults) => {
  expect(invocationFrom(line.split(' '), commands)).toEqual({ name: 'misused', faults });
});

it.each(['--partner-key-000000000000', 'partner-key-000000000000', '-partner-key-000000000000'])(
  'repeats no argument that may be a misplaced key: %s',
  (key) => {
    const request = invocationFrom([key], commands);
    expect(request.name).toBe('misused');
    expect(JSON.stringify(request)).not.toContain('key-0');
  },
);
