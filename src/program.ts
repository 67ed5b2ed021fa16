import { commandFromArguments } from './command/arguments.ts';
import { serve } from './serve.ts';

const FAILED = 1;
const MISUSED = 2;

// The commands are imported only where they are named: a gateway that serves needs nothing of them.
const command = commandFromArguments(process.argv.slice(2));
if (command.name === 'misused') fail(MISUSED, ...command.faults, 'run portico --help');
else if (command.name === 'help') console.log((await import('./command/help.ts')).helpFor(command.of));
else if (command.name === 'version') console.log((await import('./command/help.ts')).version);
else if (command.name === 'print-schema')
  console.log((await import('./schema/index.ts')).printedSchema(command));
else if (command.name === 'check-config')
  report(await (await import('./command/check.ts')).checkConfiguration());
else if (command.name === 'check-upstream')
  report(await (await import('./command/check-upstream.ts')).checkUpstream(command.given));
else if (command.name === 'plan') report(await (await import('./command/plan.ts')).planFiles(command.given));
else if (command.name === 'usage')
  report(await (await import('./command/usage.ts')).countUsage(command.given));
else if (command.name === 'mcp') report(await (await import('./command/mcp.ts')).serveMcp(command.given));
else fail(FAILED, ...(await serve()));

interface Found {
  lines: string[];
  faults: string[];
  isMisuse?: boolean;
}

/** Prints what a command found, and the faults that make it fail; `isMisuse`: those of its arguments. */
function report({ lines, faults, isMisuse = false }: Found): void {
  if (lines.length > 0) console.log(lines.join('\n'));
  fail(isMisuse ? MISUSED : FAILED, ...faults);
}

/** Prints the messages and sets the exit code; does nothing without messages. */
function fail(code: number, ...messages: string[]): void {
  for (const message of messages) console.error(message);
  if (messages.length > 0) process.exitCode = code;
}
