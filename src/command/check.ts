import { configFromEnv, readEnv } from '../config.ts';
import { declared, readConfiguration } from './configuration.ts';
import { createIdleGateway } from './idle-gateway.ts';

/** Either all faults, or a summary of what is set, without secrets. */
export type CheckResult = { lines: string[]; faults?: never } | { lines?: never; faults: string[] };

/** Reads what the gateway reads before it serves: settings and trusted documents. Opens no port and no connection. */
export async function checkConfiguration(): Promise<CheckResult> {
  const { faults = [] } = readConfiguration();
  const trusted = await readTrusted();
  const all = [...faults, ...trusted.faults];
  return all.length > 0
    ? { faults: all }
    : { lines: ['the configuration is valid', ...linesFrom(readEnv()), ...trusted.lines] };
}

/** Reads the trusted documents even if settings that do not concern them have faults. Sends nothing upstream. */
async function readTrusted(): Promise<{ lines: string[]; faults: string[] }> {
  const { TRUSTED_DOCUMENTS, INTROSPECTION } = readEnv();
  const { config } = configFromEnv({ TRUSTED_DOCUMENTS, INTROSPECTION });
  if (!config?.trustedDocuments) return { lines: [], faults: [] };
  const gateway = createIdleGateway(config);
  const { count, faults } = await gateway.readTrusted();
  return faults ? { lines: [], faults } : { lines: [`trusted documents: ${count}`], faults: [] };
}

function linesFrom(env: NodeJS.ProcessEnv): string[] {
  const lines = Object.keys(declared).flatMap((name) => (env[name] ? [lineFrom(name, env[name])] : []));
  return [
    ...lines,
    lines.length > 0 ? 'all other settings have their defaults' : 'all settings have their defaults',
  ];
}

/** Credentials in a URL end with `@`; those in a query or a list of fields follow a `=`. */
const PLAIN = /^([^@=?#%;\s\p{Cc}]|, )+$/u;
const SECRET_NAME = /KEY|SECRET|TOKEN$|PASSWORD|HEADERS|CREDENTIAL/;

function lineFrom(name: string, text: string): string {
  const isPlain = PLAIN.test(text) && !SECRET_NAME.test(name);
  return isPlain ? `${name}=${text}` : `${name} is set; the value may be secret`;
}
