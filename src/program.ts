import { commandFromArguments } from './command/arguments.ts';
import { checkConfiguration } from './command/check.ts';
import { sections } from './command/configuration.ts';
import { helpFor, version } from './command/help.ts';
import type { PlanArguments } from './command/plan.ts';
import { printedSchema } from './command/print-schema.ts';
import { serve } from './serve.ts';

const FAILED = 1;
const MISUSED = 2;

const command = commandFromArguments(process.argv.slice(2));
if (command.name === 'misused') fail(MISUSED, ...command.faults, 'run portico --help');
else if (command.name === 'help') console.log(helpFor(command.of, sections));
else if (command.name === 'version') console.log(version);
else if (command.name === 'print-schema') console.log(printedSchema());
else if (command.name === 'check-config') await check();
else if (command.name === 'plan') await plan(command.given);
else fail(FAILED, ...(await serve()));

async function check(): Promise<void> {
  const { lines, faults } = await checkConfiguration();
  if (faults) fail(FAILED, ...faults);
  else console.log(lines.join('\n'));
}

async function plan(given: PlanArguments): Promise<void> {
  // Imported only here: a gateway that serves needs no parser of code.
  const { planFiles } = await import('./command/plan.ts');
  const { lines, faults } = await planFiles(given);
  if (lines.length > 0) console.log(lines.join('\n'));
  fail(FAILED, ...faults);
}

/** Prints the messages and sets the exit code; does nothing without messages. */
function fail(code: number, ...messages: string[]): void {
  for (const message of messages) console.error(message);
  if (messages.length > 0) process.exitCode = code;
}
