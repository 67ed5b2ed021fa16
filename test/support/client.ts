import { onTestFinished } from 'vitest';
import { composition } from '../../src/features.ts';
import { apiKeyOf, createCaller } from '../../src/rest/caller.ts';
import { createUpstream } from '../../src/rest/stack.ts';
import { apiKey, type TestSettings, testConfig } from './gateway.ts';

/** A client of the REST API without a gateway, until the end of the test; `drift`: the fields that it counted. */
export function startClient(url: string, settings: TestSettings = {}) {
  const drift: string[] = [];
  const faults: string[] = [];
  const config = testConfig({ LIVE: 'off', ...settings });
  const upstream = createUpstream({
    ...config,
    ...config.upstream,
    ...composition.compose(config, ({ message }) => faults.push(message)).upstream,
    url: new URL(url),
    drift: (field) => drift.push(field),
  });
  onTestFinished(() => upstream.close());
  const callerOf = (key: string, disconnect = createDisconnect().signal) =>
    createCaller(apiKeyOf(key), disconnect, config.operationTimeoutMs);
  return { ...upstream, ...upstream.client, drift, faults, callerOf, caller: callerOf(apiKey) };
}

/** The disconnect of a client, which aborts at the end of the test at the latest. */
export function createDisconnect(): AbortController {
  const disconnect = new AbortController();
  onTestFinished(() => disconnect.abort());
  return disconnect;
}
