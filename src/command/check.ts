import { readConfiguration, readEnv } from '../config.ts';
import { createGateway, type Gateway, type GatewayConfig } from '../gateway.ts';
import { createLogger } from '../telemetry/log.ts';
import type { GatewaySettings } from './command.ts';
import { allSections } from './help.ts';

/**
 * Reads the settings and the trusted documents, as the gateway does before it serves. Opens no port. Returns
 * all faults, or a summary of what is set, without secrets.
 */
export async function checkConfiguration(
  settings: GatewaySettings,
): Promise<{ lines: string[]; faults: string[] }> {
  const { faults = [] } = await readConfiguration(settings);
  const trusted = await readTrusted(settings);
  const all = [...faults, ...trusted.faults];
  const lines = ['the configuration is valid', ...linesFrom(readEnv(), settings), ...trusted.lines];
  return { lines: all.length > 0 ? [] : lines, faults: all };
}

/** A gateway for what needs no upstream: it neither serves nor connects. */
export function createIdleGateway(config: GatewayConfig): Gateway {
  return createGateway({
    config,
    upstreamUrl: new URL('http://127.0.0.1'),
    example: { apiKey: '', siteId: '', conversationId: '' },
    logger: createLogger('silent', { write() {} }),
  });
}

/** Reads the trusted documents even if settings that do not concern them have faults. */
async function readTrusted({
  configFromEnv,
}: GatewaySettings): Promise<{ lines: string[]; faults: string[] }> {
  const { NODE_ENV, TRUSTED_DOCUMENTS, INTROSPECTION, LIVE, FEDERATION } = readEnv();
  // Production requires the address, which is not used here.
  const UPSTREAM_URL = 'http://127.0.0.1';
  const given = { NODE_ENV, UPSTREAM_URL, TRUSTED_DOCUMENTS, INTROSPECTION, LIVE, FEDERATION };
  const { config } = configFromEnv(given);
  if (!config?.trustedDocuments) return { lines: [], faults: [] };
  const { documents, faults } = await createIdleGateway(config).readTrusted();
  return faults ? { lines: [], faults } : { lines: [`trusted documents: ${documents.size}`], faults: [] };
}

function linesFrom(env: NodeJS.ProcessEnv, settings: GatewaySettings): string[] {
  const names = allSections(settings).flatMap((section) => Object.keys(section.settings));
  const lines = names.flatMap((name) => (env[name] ? [lineFrom(name, env[name])] : []));
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
