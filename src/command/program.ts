import { version } from '../config/settings.ts';
import { commands, composition } from '../features.ts';
import { invocationFrom } from './arguments.ts';
import type { Found } from './command.ts';
import { serve } from './serve.ts';
import { printable } from './table.ts';

const FAILED = 1;
/** For arguments that cannot be parsed. */
const MISUSED = 2;

// The code of a command is imported only if it is named: a gateway that serves needs nothing of it.
const invocation = invocationFrom(process.argv.slice(2), commands);
if (invocation.name === 'misused') fail(MISUSED, ...invocation.faults, 'run portico --help');
else if (invocation.name === 'help')
  print((await import('./help.ts')).helpFor(invocation.of, commands, composition.settings));
else if (invocation.name === 'version') print(version);
else if (invocation.name === 'run') report(await invocation.command.run(invocation.given, composition));
else fail(FAILED, ...(await serve(composition)));

function report({ lines, faults }: Found): void {
  if (lines.length > 0) print(lines.join('\n'));
  // They may repeat names of files and texts of others.
  fail(FAILED, ...faults.map(printable));
}

/** Prints a text to standard output. A reader that closes its pipe wants no more; any other error is a failure. */
function print(text: string): void {
  process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
    if (code !== 'EPIPE') fail(FAILED, `standard output cannot be written: ${code}`);
  });
  process.stdout.write(text);
  // A disk that fills takes a part of the text without an error, and nothing after it.
  process.stdout.write('\n');
}

function fail(code: number, ...messages: string[]): void {
  for (const message of messages) console.error(message);
  if (messages.length > 0) process.exitCode = code;
}
