import type { Config } from '../config.ts';
import { createGateway, type Gateway } from '../gateway.ts';
import { createLogger } from '../telemetry/logs/logger.ts';

/** A gateway for what needs no upstream: it neither serves nor connects. */
export function createIdleGateway(config: Config): Gateway {
  return createGateway({
    config,
    upstreamUrl: new URL('http://127.0.0.1'),
    example: { apiKey: '', siteId: '', conversationId: '' },
    logger: createLogger('silent', { write() {} }),
  });
}
