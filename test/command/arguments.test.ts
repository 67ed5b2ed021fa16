import { expect, it } from 'vitest';
import { requestFrom } from '../../src/command/arguments.ts';
import type { Given } from '../../src/command/command.ts';
import { commands } from '../../src/features.ts';
import { argumentsFrom as checkArguments } from '../../src/programs/check-upstream/arguments.ts';
import { argumentsFrom as mcpArguments } from '../../src/programs/mcp/arguments.ts';
import { argumentsFrom as planArguments } from '../../src/programs/plan/arguments.ts';
import { argumentsFrom as usageArguments } from '../../src/programs/usage/arguments.ts';

/** What the programs read of their arguments. */
const readers: Readonly<Record<string, (given: Given) => unknown>> = {
  'check-upstream': checkArguments,
  mcp: mcpArguments,
  plan: planArguments,
  usage: usageArguments,
};

/** What a command line asks for: the name of the command, and what that reads. */
function parsed(args: string[]) {
  const request = requestFrom(args, commands);
  if (request.name === 'help') return { ...request, of: request.of?.name };
  if (request.name !== 'run') return request;
  const { command, given } = request;
  return { name: command.name, given: readers[command.name]?.(given) ?? [...given.options.keys()] };
}

const unset = {
  ...{ variables: {}, operationName: undefined, maxCalls: undefined, isJson: false },
  ...{ isMarkdown: false, against: undefined, maxIncrease: undefined },
};

it.each<[string, object]>([
  ['', { name: 'serve' }],
  ['check-config', { name: 'check-config', given: [] }],
  ['print-schema', { name: 'print-schema', given: [] }],
  ['print-schema --live', { name: 'print-schema', given: ['live'] }],
  ['print-schema --federation', { name: 'print-schema', given: ['federation'] }],
  ['--help', { name: 'help', of: undefined }],
  ['--version', { name: 'version' }],
  ['check-config --help', { name: 'help', of: 'check-config' }],
  ['print-schema -h', { name: 'help', of: 'print-schema' }],
  ['nonsense --help', { name: 'help', of: undefined }],
  [
    'plan a.graphql --operation A b.json --variables={"id":"SITE-1"} --max-calls 7 --json',
    {
      name: 'plan',
      given: {
        ...{ ...unset, files: ['a.graphql', 'b.json'], variables: { id: 'SITE-1' } },
        ...{ operationName: 'A', maxCalls: 7, isJson: true },
      },
    },
  ],
  [
    'plan src --against origin/main --max-increase 0 --markdown',
    {
      name: 'plan',
      given: { ...unset, files: ['src'], against: 'origin/main', maxIncrease: 0, isMarkdown: true },
    },
  ],
  ['plan a.graphql', { name: 'plan', given: { ...unset, files: ['a.graphql'] } }],
  [
    'usage a.log - a.log --field Site.city --by key --json',
    {
      name: 'usage',
      given: { logs: ['a.log', '-'], field: 'Site.city', by: 'key', isJson: true },
    },
  ],
  [
    'check-upstream --site SITE-1 --conversation 5F0C2A9E-3b1d-4c5a-9e7f-8a6b4c2d1e00 --json',
    {
      name: 'check-upstream',
      given: { ids: { site: 'SITE-1', conversation: '5F0C2A9E-3b1d-4c5a-9e7f-8a6b4c2d1e00' }, isJson: true },
    },
  ],
  [
    'check-upstream',
    { name: 'check-upstream', given: { ids: { site: '', conversation: '' }, isJson: false } },
  ],
  ['usage -', { name: 'usage', given: { logs: ['-'], field: undefined, by: 'operation', isJson: false } }],
  [
    'mcp --gateway https://portico.example.com/graphql --documents a.json',
    {
      name: 'mcp',
      given: {
        gateway: new URL('https://portico.example.com/graphql'),
        documents: 'a.json',
        port: undefined,
      },
    },
  ],
  [
    'mcp --gateway=http://[::1]:4000/graphql --documents=a.json --port 0',
    {
      name: 'mcp',
      given: { gateway: new URL('http://[::1]:4000/graphql'), documents: 'a.json', port: 0 },
    },
  ],
  ['--help plan --nonsense', { name: 'help', of: 'plan' }],
])('parses `portico %s`', (line, expected) => {
  expect(parsed(line.split(' ').filter(Boolean))).toEqual(expected);
});

it.each<[string, ...string[]]>([
  ['--threads 4000', 'unknown option: --threads', 'unknown command: argument 2'],
  ['--k3y', 'unknown option: argument 1'],
  ['serve', 'unknown command: serve'],
  ['check-config portico.env', 'check-config takes no arguments'],
  ['--version=1', '--version takes no value'],
  ['--toString', 'unknown option: --toString'],
  ['plan', 'plan requires a file'],
  ['plan a --variables [1]', '--variables requires a JSON object'],
  ['plan a --variables', '--variables requires a JSON object'],
  ['plan a --max-calls -1', '--max-calls requires a whole number'],
  ['plan a --operation', '--operation requires the name of an operation'],
  ['plan a --against=--output=x', '--against requires a commit or a file'],
  ['plan a --against b --max-increase 1.5', '--max-increase requires a whole number'],
  [
    'plan a --json --markdown --max-increase 5',
    '--json and --markdown exclude each other',
    '--max-increase requires --against',
    '--markdown requires --against',
  ],
  ['usage', 'usage requires a log: a file, or - for standard input'],
  [
    'usage a.log --by city --field city',
    '--by requires key, client or operation',
    '--field requires a field of the schema, such as Site.city',
  ],
  ['check-upstream x', 'check-upstream takes no arguments'],
  [
    'check-upstream --site 1001 --conversation 1',
    '--site requires a site id',
    '--conversation requires a UUID',
  ],
  ['mcp', 'mcp requires --gateway', 'mcp requires --documents'],
  [
    'mcp a.json --gateway http://portico.example.com/graphql --documents= --port 65536',
    '--gateway requires an https: URL without credentials, or an http: URL of this machine',
    '--documents requires a file',
    '--port requires a port: 0 to 65535',
    'mcp takes no arguments',
  ],
  [
    'mcp --gateway https://key@portico.example.com/graphql --documents a.json',
    '--gateway requires an https: URL without credentials, or an http: URL of this machine',
  ],
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
  expect(requestFrom(line.split(' '), commands)).toEqual({ name: 'misused', faults });
});

it.each(['--partner-key-000000000000', 'partner-key-000000000000', '-partner-key-000000000000'])(
  'repeats no argument that may be a misplaced key: %s',
  (key) => {
    const request = requestFrom([key], commands);
    expect(request.name).toBe('misused');
    expect(JSON.stringify(request)).not.toContain('key-0');
  },
);
