import { expect, it } from 'vitest';
import { type Command, commandFromArguments } from '../../src/command/arguments.ts';

it.each<[string, Command]>([
  ['', { name: 'serve', file: undefined }],
  ['--config a.yaml', { name: 'serve', file: 'a.yaml' }],
  ['--config=-a.yaml', { name: 'serve', file: '-a.yaml' }],
  ['check-config', { name: 'check-config', file: undefined }],
  ['check-config --config a.yaml', { name: 'check-config', file: 'a.yaml' }],
  ['--config a.yaml check-config', { name: 'check-config', file: 'a.yaml' }],
  ['--help', { name: 'help' }],
  ['-h', { name: 'help' }],
  ['--version', { name: 'version' }],
  ['check-config --help', { name: 'help' }],
  ['--nonsense --help', { name: 'help' }],
])('reads `portico %s`', (line, command) => {
  expect(commandFromArguments(line.split(' ').filter(Boolean))).toEqual(command);
});

it.each<[string, ...string[]]>([
  ['--port 4000', '--port is no option', 'argument 2 is no command'],
  ['--port=4000', '--port is no option'],
  ['-x', '-x is no option'],
  ['--k3y', 'argument 1 is no option'],
  ['serve', 'serve is no command'],
  ['portico.yaml', 'portico.yaml is no command'],
  ['check-config portico.yaml', 'check-config takes no more words'],
  ['--config', '--config needs a file'],
  ['--config=', '--config needs a file'],
  ['--config --help=1', '--config needs a file'],
  ['--config a --config b', '--config must be given once'],
  ['--version=1', '--version takes no value'],
  ['--toString', '--toString is no option'],
  ['serve --foo --config', '--foo is no option', '--config needs a file', 'serve is no command'],
])('refuses `portico %s`', (line, ...faults) => {
  expect(commandFromArguments(line.split(' '))).toEqual({ name: 'misused', faults });
});

it.each(['--partner-key-000000000000', 'partner-key-000000000000', '-partner-key-000000000000'])(
  'repeats no key that went astray: %s',
  (key) => {
    const command = commandFromArguments([key]);
    expect(command.name).toBe('misused');
    expect(JSON.stringify(command)).not.toContain('key-0');
  },
);
