import { type Command, helpText, parseCommand, usage } from './arguments.ts';
import { codeFromError, FAILED, fail, MISUSED, messageFromError } from './command-line.ts';
import { type ReferenceSettings, readReferenceConfig } from './config.ts';
import { demoKeys, demoSites } from './data/demo-ids.ts';
import { createLog } from './http/log.ts';
import { type Reference, type ReferenceOptions, startReference } from './server.ts';
import { runGenerate, runImport, runReset } from './transfer/commands.ts';

const SHUTDOWN_TIMEOUT_MS = 5_000;

const command = parseCommand(process.argv.slice(2));
const config = readReferenceConfig();
if (!command) fail(MISUSED, usage);
else if (command.name === 'help') console.log(helpText());
else if ('faults' in config) fail(FAILED, ...config.faults);
else {
  const { options } = config;
  try {
    await run(command, options);
  } catch (error) {
    fail(FAILED, startMessage(error, options));
  }
}

async function run(command: Exclude<Command, { name: 'help' }>, options: ReferenceSettings): Promise<void> {
  const isTest = options.environment === 'test';
  switch (command.name) {
    case 'serve':
      if (command.scenario && !isTest) throw new Error('--scenario is not for NODE_ENV=production');
      return serve({ ...options, scenario: command.scenario });
    case 'import':
      return runImport(options, command.path, command.replace);
    case 'generate':
      return runGenerate({ ...command, siteIdPrefix: options.siteIdPrefix });
    case 'reset':
      if (!isTest) throw new Error('reset is not for NODE_ENV=production');
      return runReset(options.databaseUrl);
  }
}

async function serve({ logLevel, ...options }: ReferenceSettings): Promise<void> {
  const reference = await startReference({ ...options, ...createLog(logLevel) });
  closeOnSignal(reference);
  console.log(`reference ready at ${reference.url}`);
  if (options.environment !== 'test') return;
  const path = `/v1/site/${demoSites(options.siteIdPrefix).main}?include=clients,projects`;
  console.log(
    `demo keys: ${demoKeys.acme} (Acme), ${demoKeys.globex} (Globex); --help lists others, which fail`,
  );
  console.log(`curl -H 'x-api-key: ${demoKeys.acme}' '${reference.url}${path}'`);
}

/** Closes on the first signal. A second signal, or the timeout, ends the process at once. */
function closeOnSignal(reference: Reference): void {
  let isClosing = false;
  const close = () => {
    if (isClosing) process.exit(FAILED);
    isClosing = true;
    setTimeout(() => process.exit(FAILED), SHUTDOWN_TIMEOUT_MS).unref();
    void reference.close();
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, close);
}

function startMessage(error: unknown, { host, port }: ReferenceOptions): string {
  return codeFromError(error) === 'EADDRINUSE'
    ? `port ${port} on ${host} is in use; set REFERENCE_PORT to another`
    : messageFromError(error);
}
