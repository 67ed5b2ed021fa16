import type { Command } from './command.ts';

/** `portico check-config`: all faults of the settings and of the trusted documents. */
export const checkConfig: Command = {
  name: 'check-config',
  summary: 'report all faults of the settings and exit',
  usage: 'check-config',
  about: `Reports all faults of the settings and of the trusted documents, and exits: with 0 if there is none,
with 1 otherwise. It opens no port and no connection.`,
  options: {},
  more: 'portico --help names the settings.',
  run: async (_, composition) => (await import('./check.ts')).checkConfiguration(composition),
};
