import { codeFromError, FAILED, fail, MISUSED, messageFromError } from './command-line.ts';
import { readReferenceConfig } from './config.ts';
import { demoKeys, demoSites } from './data/landmarks.ts';
import { helpText } from './help.ts';
import { type Reference, type ReferenceOptions, startReference } from './server.ts';
import { type Command, commandFromArguments, runExport, runImport, usage } from './transfer/command.ts';

const LEAVE_PATIENCE_MS = 5_000;

const command = commandFromArguments(process.argv.slice(2));
const config = readReferenceConfig();
if (!command) fail(MISUSED, usage);
else if (command.name === 'help') console.log(helpText());
else if ('faults' in config) fail(FAILED, ...config.faults);
else await run(command, config.options);

async function run(command: Exclude<Command, { name: 'help' }>, options: ReferenceOptions): Promise<void> {
  try {
    if (command.name === 'import') await runImport(options, command.path, command.skipBad);
    else if (command.name === 'export') await runExport(options, command.path);
    else await serve(options);
  } catch (error) {
    fail(FAILED, wordsFromError(error, options));
  }
}

async function serve(options: ReferenceOptions): Promise<void> {
  const reference = await startReference({ ...options, onFault: console.error, onWarning: console.warn });
  leaveOnSignal(reference);
  console.log(`reference ready at ${reference.url}`);
  if (options.environment === 'test') console.log(invitation(reference.url, options.siteIdPrefix));
}

/** Closes on the first signal. On a second one, or when that takes too long, the process ends at once. */
function leaveOnSignal(reference: Reference): void {
  let isLeaving = false;
  const leave = () => {
    if (isLeaving) process.exit(FAILED);
    isLeaving = true;
    setTimeout(() => process.exit(FAILED), LEAVE_PATIENCE_MS).unref();
    void reference.close();
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, leave);
}

function invitation(url: string, siteIdPrefix: string): string {
  const path = `/v1/site/${demoSites(siteIdPrefix).main}?include=clients,projects`;
  return [
    `demo keys: ${demoKeys.acme} (Acme), ${demoKeys.globex} (Globex)`,
    `curl -H 'x-api-key: ${demoKeys.acme}' '${url}${path}'`,
  ].join('\n');
}

function wordsFromError(error: unknown, { host, port }: ReferenceOptions): string {
  const isTaken = codeFromError(error) === 'EADDRINUSE';
  return isTaken
    ? `port ${port} on ${host} is in use; set REFERENCE_PORT to another`
    : messageFromError(error);
}
