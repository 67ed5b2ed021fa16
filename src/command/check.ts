import { type Config, configFromEnv, readConfiguration, readEnv } from '../config.ts';
import { createGateway, type Gateway } from '../gateway.ts';
import { declared } from './help.ts';

/**
 * Reads the settings and the trusted documents, as the gateway does before it serves. Opens no port. Returns
 * all faults, or a summary of what is set, without secrets.
 */
export async function checkConfiguration(): Promise<{ lines: string[]; faults: string[] }> {
  const { faults = [] } = await readConfiguration();
  const trusted = await readTrusted();
  const all = [...faults, ...trusted.faults];
  const lines = ['the configuration is valid', ...linesFrom(readEnv()), ...trusted.lines];
  return { lines: all.length > 0 ? [] : lines, faults: all };
}

/** A gateway for what needs no upstream: it neither serves nor connects. */
export function createIdleGateway(config: Config): Gateway {
  return createGateway({
    config,
    upstreamUrl: new URL('http://127.0.0.1'),
    example: { apiKey: '', siteId: '', conversationId: '' },
  });
}

/** Reads the trusted documents even if settings that do not concern them have faults. */
async function readTrusted(): Promise<{ lines: string[]; faults: string[] }> {
  const { NODE_ENV, TRUSTED_DOCUMENTS, INTROSPECTION, LIVE, FEDERATION } = readEnv();
  // Production requires the address, which is not used here.
  const UPSTREAM_URL = 'http://127.0.0.1';
  const given = { NODE_ENV, UPSTREAM_URL, TRUSTED_DOCUMENTS, INTROSPECTION, LIVE, FEDERATION };
  const { config } = configFromEnv(given);
  if (!config?.trustedDocuments) return { lines: [], faults: [] };
  const { documents, faults } = await createIdleGateway(config).readTrusted();
  return faults ? { lines: [], faults } : { lines: [`trusted documents: ${documents.size}`], faults: [] };
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
