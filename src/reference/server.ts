import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { sendLastAnswer } from './answer.ts';
import { createApi, type SeenRequest } from './api.ts';
import { startDatabase } from './database.ts';
import { createDrain } from './drain.ts';
import { createFill } from './fill.ts';
import { createKeyring } from './keyring.ts';
import { defaultRateLimit, type RateLimit, startLimiter } from './limit.ts';
import { createLinks } from './links.ts';
import { createOpenapi } from './openapi.ts';
import { answerFromProblem, type ProblemKind } from './problems.ts';
import { createStore } from './store.ts';
import type { Environment } from './tables.ts';
import { type Deprecation, fieldsFromDeprecation } from './versions.ts';

export interface ReferenceOptions {
  /** `file:…`, `postgres://…` or `:memory:`. */
  databaseUrl: string;
  /** Only this environment's keys exist; in `test` the first server on a database makes the demo data. */
  environment: Environment;
  /** The word before the hyphen of every site id. */
  siteIdPrefix: string;
  host: string;
  /** 0 takes a free port. */
  port: number;
  /** What one key may ask; left out, 6,000 requests a minute, counted by this server alone. */
  rateLimit?: RateLimit | undefined;
  /** When `/v1` goes, if it does. */
  deprecation?: Deprecation | undefined;
  /** Called once for every request, when its answer is known. */
  onRequest?: (seen: SeenRequest) => void;
  /** Called with what went wrong behind a 500. */
  onFault?: (error: unknown) => void;
  /** Called with one line for what an operator should know and no request fails of. */
  onWarning?: (line: string) => void;
}

export interface Reference {
  /** `http://host:port`, without a slash at the end. */
  url: string;
  /** Answers what has been asked, then closes every socket and the database. */
  close(): Promise<void>;
}

/** Starts the partner API. Rejects when the database or the port cannot be opened, leaving neither open. */
export async function startReference(options: ReferenceOptions): Promise<Reference> {
  const { databaseUrl, environment, siteIdPrefix, host, port, onRequest, onFault, onWarning } = options;
  const { rateLimit = defaultRateLimit, deprecation } = options;
  const db = await startDatabase(databaseUrl, createFill(environment, siteIdPrefix));
  const keyring = createKeyring(db, environment, { onFault });
  const limiter = await startLimiter(rateLimit, onWarning);
  const standing = fieldsFromDeprecation(deprecation);
  const openapi = JSON.stringify(createOpenapi({ siteIdPrefix, isDeprecated: deprecation !== undefined }));
  const store = createStore(db);
  const links = createLinks(db);
  const listener = createApi({
    store,
    keyring,
    limiter,
    links,
    siteIdPrefix,
    openapi,
    standing,
    onRequest,
    onFault,
  });
  // A missing Host is refused further in, where the answer is a problem.
  const server = createServer({ requireHostHeader: false }, listener);
  answerAlways(server, standing);
  const drain = createDrain(server);
  try {
    await listen(server, host, port);
  } catch (error) {
    limiter.close();
    await db.destroy();
    throw error;
  }
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${(server.address() as AddressInfo).port}`,
    async close() {
      await drain();
      limiter.close();
      await keyring.settle();
      await db.destroy();
    },
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

const refusals: Record<string, ProblemKind> = {
  HPE_HEADER_OVERFLOW: 'headers-too-large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request-timeout',
};

/** Where Node itself would refuse, ignore or cut short, and no request comes of it, the answer is a problem too. */
function answerAlways(server: Server, standing: readonly string[]): void {
  // Beyond a number of fields Node drops the rest, and a second key with it. Their size has its limit.
  server.maxHeadersCount = 0;
  server.on('checkExpectation', (incoming, outgoing) => server.emit('request', incoming, outgoing));
  server.on('clientError', (error, socket) => {
    const kind = refusals['code' in error ? String(error.code) : ''] ?? 'malformed-request';
    if (socket.writable) sendLastAnswer(socket, answerFromProblem(kind), standing);
  });
  server.on('connect', (_, socket) => {
    // From here on it is nobody's socket, so closing the server would wait for its other end.
    socket.on('error', () => {}).once('finish', () => socket.destroy());
    sendLastAnswer(socket, answerFromProblem('method-not-allowed'), standing);
  });
}
