import { expect, it, onTestFinished } from 'vitest';
import { startAdmin } from '../../../src/features/metrics/admin.ts';
import { createMetrics } from '../../../src/features/metrics/metrics.ts';

/** The admin port of a gateway that drains, closed at the end of the test. */
async function start({ registry } = createMetrics()) {
  const faults: unknown[] = [];
  const onFault = (fault: unknown) => faults.push(fault);
  const admin = await startAdmin({
    ...{ host: '127.0.0.1', port: 0 },
    registry,
    ready: () => 'draining',
    onFault,
  });
  onTestFinished(admin.close);
  return { url: admin.url, faults };
}

it('serves the metrics at one path', async () => {
  const { url, faults } = await start();
  const metrics = await fetch(`${url}/metrics?x`);
  expect(metrics.status).toBe(200);
  expect(metrics.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  expect((await fetch(`${url}/`)).status).toBe(404);
  expect(faults).toEqual([]);
});

it('hides the error where the metrics are not available', async () => {
  const broken = createMetrics();
  broken.registry.metrics = async () => {
    throw new Error('a canary');
  };
  const { url, faults } = await start(broken);
  const response = await fetch(`${url}/metrics`);
  expect([response.status, await response.text()]).toEqual([500, 'The metrics are not available.\n']);
  expect(faults).toEqual([expect.objectContaining({ message: 'a canary' })]);
});
