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
  ...['https://portico.example.com', 'http://[::1]:4000'].map((gateway): [string, object] => [
    `mcp --gateway ${gateway}/graphql --documents a.json`,
    { name: 'mcp', given: ['gateway', 'documents'] },
  ]),
  [
    'check-upstream --conversation 5F0C2A9E-3b1d-4c5a-9e7f-8a6b4c2d1e00',
    { name: 'check-upstream', given: ['conversation'] },
  ],
])('parses `portico %s`', (line, expected) => {
  expect(parsed(line.split(' ').filter(Boolean))).toEqual(expected);
});

const time = 'requires a time with its unit, such as 5s, 500ms or 1m';
const endpoint = '--gateway requires an https: URL without credentials, or an http: URL of this machine';

it.each<[string, ...string[]]>([
  ['--threads 4000', 'unknown command'],
  ['check-config --k3y', 'unknown option'],
  ['check-config portico.env', 'check-config takes no arguments'],
  ['plan a --json=1', "Option '--json' does not take an argument"],
  ['check-config --toString', 'unknown option'],
  ['plan', 'plan requires a file'],
  ['plan a --variables [1]', '--variables requires a JSON object'],
  ['plan a --operation', "Option '--operation <value>' argument missing"],
  ['plan a --against=', '--against requires a file'],
  [
    'plan a --max-increase 1.5',
    '--max-increase requires a whole number',
    '--max-increase requires --against',
  ],
  ['plan a --viewers 0 --every 5s', '--viewers requires a whole number from 1'],
  ['plan a --viewers 2', '--viewers requires --every'],
  ['plan a --viewers 2 --every 5 --latency 0ms', `--every ${time}`, `--latency ${time}`],
  ['plan a --viewers 2 --every 5s --limit 0/60s', '--limit requires calls and their time, such as 6000/60s'],
  ['print-schema --live --federation', '--live and --federation exclude each other'],
  ['plan a --viewers 2 --every 5s --against c', '--viewers and --against exclude each other'],
  ['usage', 'usage requires a log: a file, or - for standard input'],
  [
    'usage a.log --by city --field city',
    '--by requires key, client or operation',
    '--field requires a field of the schema, such as Site.city',
  ],
  ['mcp', 'mcp requires --gateway', 'mcp requires --documents'],
  [
    'mcp a.json --gateway http://portico.example.com/graphql --documents=',
    ...[endpoint, '--documents requires a file', 'mcp takes no arguments'],
  ],
  ['mcp --gateway https://key@portico.example.com/graphql --documents a.json', endpoint],
  ['check-upstream x', 'check-upstream takes no arguments'],
  [
    'check-upstream --site 1001 --conversation 1',
    '--site requires a site id',
    '--conversation requires a UUID',
  ],
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
