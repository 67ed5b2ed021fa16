import { configFromEnv } from '../config.ts';
import { createGateway } from '../gateway.ts';
import { startLogger } from '../telemetry/logger.ts';
import { type Configuration, declared, readConfiguration } from './configuration.ts';

/** Either every fault, or in a few lines what is set, without what may be secret. */
export type Verdict = { lines: string[]; faults?: never } | { lines?: never; faults: string[] };

/** Reads all that the gateway would read before it serves: settings and trusted documents. Opens nothing. */
export async function checkConfiguration(file: string | undefined): Promise<Verdict> {
  const configuration = await readConfiguration(file);
  const trusted = await readTrusted(configuration);
  const faults = [...(configuration.faults ?? []), ...trusted.faults.map(configuration.located)];
  return faults.length > 0
    ? { faults }
    : { lines: ['the configuration is right', ...linesFrom(configuration), ...trusted.lines] };
}

/**
 * The trusted documents are looked at whatever is wrong with the settings that have nothing to do with them. Nothing is
 * asked of the upstream.
 */
async function readTrusted({ given }: Configuration): Promise<{ lines: string[]; faults: string[] }> {
  const { TRUSTED_DOCUMENTS, INTROSPECTION } = given;
  const { config } = configFromEnv({ TRUSTED_DOCUMENTS, INTROSPECTION });
  if (!config?.trustedDocuments) return { lines: [], faults: [] };
  const gateway = createGateway({
    config,
    upstreamUrl: new URL('http://127.0.0.1'),
    example: { apiKey: '', siteId: '', conversationId: '' },
    logger: await startLogger('silent'),
  });
  const { count, faults } = await gateway.readTrusted();
  return faults ? { lines: [], faults } : { lines: [`trusted documents: ${count}`], faults: [] };
}

function linesFrom({ given, placeOf }: Configuration): string[] {
  const lines = Object.keys(declared)
    .filter((name) => given[name] !== undefined)
    .map((name) => `${wordsFrom(name, given[name] ?? '')} (${placeOf(name)})`);
  return [...lines, lines.length > 0 ? 'all else has its default' : 'everything has its default'];
}

/** Credentials in an address have an `@` after them, and those in a query or a list of fields a `=` before them. */
const PLAIN = /^([^@=?#%;\s\p{Cc}]|, )+$/u;
const SECRET_NAME = /KEY|SECRET|TOKEN$|PASSWORD|HEADERS|CREDENTIAL/;

function wordsFrom(name: string, text: string): string {
  const isPlain = PLAIN.test(text) && !SECRET_NAME.test(name);
  return isPlain ? `${name}=${text}` : `${name} is set; it may hold a secret`;
}
