import { onTestFinished } from 'vitest';
import { type Caller, createUpstreamClient } from '../../src/upstream/client.ts';
import { apiKey } from './gateway.ts';

/** A client of the REST API without a gateway around it, gone when the test is; `drift` holds what it counted. */
export function startClient(url: string, { timeoutMs = 10_000, connections = 1 } = {}) {
  const drift: string[] = [];
  const client = createUpstreamClient({
    url: new URL(url),
    connections,
    timeoutMs,
    maxResponseBytes: 1_000_000,
    drift: (field) => drift.push(field),
  });
  onTestFinished(() => client.close());
  const caller: Caller = { apiKey, signal: new AbortController().signal };
  return { ...client, drift, caller };
}
