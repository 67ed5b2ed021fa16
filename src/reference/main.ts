import { readReferenceConfig } from './config.ts';
import { demoKeys, demoSites } from './data/landmarks.ts';
import { type ReferenceOptions, startReference } from './server.ts';
import { type Command, commandFromArguments, runExport, runImport, usage } from './transfer/command.ts';

const FAILED = 1;
const MISUSED = 2;

const command = commandFromArguments(process.argv.slice(2));
const config = readReferenceConfig();
if (!command) fail(MISUSED, usage);
else if ('faults' in config) fail(FAILED, ...config.faults);
else await run(command, config.options);

async function run(command: Command, options: ReferenceOptions): Promise<void> {
  try {
    if (command.name === 'import') await runImport(options, command.path, command.skipBad);
    else if (command.name === 'export') await runExport(options, command.path);
    else await serve(options);
  } catch (error) {
    fail(FAILED, messageFromError(error, options));
  }
}

async function serve(options: ReferenceOptions): Promise<void> {
  const reference = await startReference({ ...options, onFault: console.error });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void reference.close());
  console.log(`reference ready at ${reference.url}`);
  if (options.environment === 'test') console.log(invitation(reference.url, options.siteIdPrefix));
}

function invitation(url: string, siteIdPrefix: string): string {
  const path = `/v1/site/${demoSites(siteIdPrefix).main}?include=clients,projects`;
  return [
    `demo keys: ${demoKeys.acme} (Acme), ${demoKeys.globex} (Globex)`,
    `curl -H 'x-api-key: ${demoKeys.acme}' '${url}${path}'`,
  ].join('\n');
}

function messageFromError(error: unknown, { host, port }: ReferenceOptions): string {
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error ? String(error.code) : error.name;
  if (code === 'EADDRINUSE') return `port ${port} on ${host} is in use; set REFERENCE_PORT to another`;
  // Where a name has several addresses, and none of them answers, Node's error has a code and no message.
  return error.message || code;
}

function fail(exitCode: number, ...messages: string[]): void {
  for (const message of messages) console.error(message);
  process.exitCode = exitCode;
}
