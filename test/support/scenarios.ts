import { expect } from 'vitest';
import type { ErrorCode } from '../../src/schema/errors.ts';

interface ScenarioRow {
  scenario: string;
  /** The code of the gateway's error; undefined if there is none. */
  code: ErrorCode | undefined;
  metric: string;
  labels: Record<string, string>;
  /** Texts that the dashboard shows. */
  shown: string[];
}

/** The effect of each scenario of the reference on the gateway and on the dashboard. */
export const scenarioRows: ScenarioRow[] = [
  {
    scenario: 'slow',
    code: 'UPSTREAM_TIMEOUT',
    metric: 'portico_operation_errors_total',
    labels: { code: 'UPSTREAM_TIMEOUT' },
    shown: ['No response in time'],
  },
  {
    scenario: 'flaky',
    code: 'UPSTREAM_UNAVAILABLE',
    metric: 'portico_upstream_calls_total',
    labels: { status: '503' },
    shown: ['Not available'],
  },
  {
    scenario: 'limited',
    code: 'RATE_LIMITED',
    metric: 'portico_rate_limited_keys',
    labels: {},
    shown: ['Too many requests', 'Retrying in'],
  },
  {
    scenario: 'down',
    code: 'UPSTREAM_UNAVAILABLE',
    metric: 'portico_breaker_open',
    labels: {},
    shown: ['Not available'],
  },
  {
    scenario: 'drifting',
    code: undefined,
    metric: 'portico_drift_total',
    labels: { field: 'Site.sla' },
    shown: ['Platinum'],
  },
  {
    scenario: 'sunset',
    code: undefined,
    metric: 'portico_upstream_sunset_timestamp_seconds',
    labels: {},
    shown: ['few calls left'],
  },
];

/** Sets the scenario of a reference. */
export async function setScenario(reference: { url: string }, scenario: string): Promise<void> {
  const body = JSON.stringify({ scenario });
  const response = await fetch(`${reference.url}/__scenario`, { method: 'POST', body });
  expect(response.status, await response.text()).toBe(200);
}
