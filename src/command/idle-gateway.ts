import type { Config } from '../config.ts';
import { createGateway, type Gateway } from '../gateway.ts';
import { startLogger } from '../telemetry/logs/logger.ts';

/** A gateway for what needs no upstream: it neither serves nor connects. */
export async function createIdleGateway(config: Config): Promise<Gateway> {
  return createGateway({
    config,
    upstreamUrl: new URL('http://127.0.0.1'),
    example: { apiKey: '', siteId: '', conversationId: '' },
    logger: await startLogger('silent'),
  });
}
