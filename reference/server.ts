import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startDatabase } from './database/database.ts';
import { createStore } from './database/store.ts';
import type { Environment, ReferenceDatabase } from './database/tables.ts';
import { createApi, type ObservedRequest } from './http/api.ts';
import { type Deprecation, headersFromDeprecation } from './http/deprecation.ts';
import { drain } from './http/drain.ts';
import { createKeyring } from './keys/keyring.ts';
import { createLinks } from './keys/links.ts';
import { createOpenapi } from './openapi/openapi.ts';
import { createLimiter, defaultRateLimit, type RateLimit } from './rate-limit/limiter.ts';
import { type ScenarioName, scenarioFromName } from './scenarios/scenario.ts';
import { createScenarios } from './scenarios/scenarios.ts';

export interface ReferenceOptions {
  /** `file:…`, `postgres://…` or `:memory:`. */
  databaseUrl: string;
  /** Only keys of this environment are accepted; in `test` the first server on a database seeds the demo. */
  environment: Environment;
  /** The word before the hyphen of every site id. */
  siteIdPrefix: string;
  host: string;
  /** 0 picks a free port. */
  port: number;
  /** Default: 6,000 requests per key and minute, counted in memory. */
  rateLimit?: RateLimit | undefined;
  /** When `/v1` is deprecated, if it is. */
  deprecation?: Deprecation | undefined;
  /** How the API misbehaves from its start on, in the environment `test` alone. */
  scenario?: ScenarioName | undefined;
  /** Called once per request, when its response is known. */
  onRequest?: (request: ObservedRequest) => void;
  /** Called with the error behind a 500 or 503. */
  onFault?: (error: unknown) => void;
}

export interface Reference {
  /** `http://host:port`, without a trailing slash. */
  url: string;
  /** Completes the requests in progress, then closes every socket and the database. */
  close(): Promise<void>;
}

/** Starts the partner API. Rejects when the database or port cannot be opened, and leaves neither open. */
export async function startReference(options: ReferenceOptions): Promise<Reference> {
  const { databaseUrl, environment, siteIdPrefix, host, port, onRequest, onFault } = options;
  const { rateLimit = defaultRateLimit, deprecation, scenario } = options;
  const db = await startDatabase(databaseUrl, createSeed(environment, siteIdPrefix));
  const keyring = createKeyring(db, environment, { onFault });
  const limiter = createLimiter(rateLimit);
  const scenarios =
    environment === 'test' ? createScenarios(scenario ? scenarioFromName(scenario) : null) : undefined;
  const commonHeaders = headersFromDeprecation(deprecation);
  const listener = createApi({
    store: createStore(db),
    keyring,
    limiter,
    links: createLinks(db),
    siteIdPrefix,
    openapi: JSON.stringify(createOpenapi({ siteIdPrefix, isDeprecated: deprecation !== undefined })),
    commonHeaders,
    scenarios,
    onRequest,
    onFault,
  });
  const server = createServer(listener);
  try {
    await listen(server, host, port);
  } catch (error) {
    await db.destroy();
    throw error;
  }
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${(server.address() as AddressInfo).port}`,
    async close() {
      await drain(server);
      await keyring.settle();
      await db.destroy();
    },
  };
}

/** The demo data in the test environment, nothing in production. */
function createSeed(environment: Environment, siteIdPrefix: string) {
  return async (db: ReferenceDatabase): Promise<void> => {
    if (environment !== 'test') return;
    const { seedDemo } = await import('./data/seed.ts');
    await seedDemo(db, siteIdPrefix);
  };
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
}
