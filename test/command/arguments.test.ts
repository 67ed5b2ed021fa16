import { expect, it } from 'vitest';
import { invocationFrom } from '../../src/command/arguments.ts';
import { commands } from '../../src/features.ts';

/** The name of the command in a command line, and its options. */
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
  ['help', { name: 'help', of: undefined }],
  ['help plan', { name: 'help', of: 'plan' }],
  ['--version', { name: 'version' }],
  ['plan --version', { name: 'version' }],
  ['mcp --version', { name: 'version' }],
  ['check-config --help', { name: 'help', of: 'check-config' }],
  ['print-schema -h', { name: 'help', of: 'print-schema' }],
  ['nonsense --help', { name: 'help', of: undefined }],
  ['plan --nonsense --help', { name: 'help', of: 'plan' }],
])('parses `portico %s`', (line, expected) => {
  expect(parsed(line.split(' ').filter(Boolean))).toEqual(expected);
});

it.each<[string, ...string[]]>([
  ['--threads 4000', 'unknown command'],
  ['check-config --k3y', 'unknown option'],
  ['check-config portico.env', 'check-config takes no arguments'],
  ['plan a --json=1', "Option '--json' does not take an argument"],
  ['check-config --toString', 'unknown option'],
  ['print-schema --live --federation', '--live and --federation exclude each other'],
])('rejects `portico %s`', (line, ...faults) => {
  expect(invocationFrom(line.split(' '), commands)).toEqual({ name: 'misused', faults });
});

it.each(['--partner-key-000000000000', 'partner-key-000000000000', '-partner-key-000000000000'])(
  'repeats no argument that may be a misplaced key: %s',
  (key) => {
    for (const args of [[key], ['check-config', key], ['plan', key, '--json=x']]) {
      const request = invocationFrom(args, commands);
      expect(request.name).toBe('misused');
      expect(JSON.stringify(request)).not.toContain('key-0');
    }
  },
);
