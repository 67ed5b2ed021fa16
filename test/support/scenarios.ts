import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect } from 'vitest';

export const page = readFileSync(resolve(import.meta.dirname, '../../docs/scenarios.md'), 'utf8');

export interface ScenarioRow {
  /** The body of `POST /__scenario`. */
  scenario: string;
  /** The code of the gateway's error; undefined where there is none. */
  code: string | undefined;
  metric: string;
  labels: Record<string, string>;
  /** What the dashboard shows. */
  shown: string[];
}

/** What docs/scenarios.md says of the gateway and of the dashboard under each scenario. */
export const scenarioRows: ScenarioRow[] = [
  ...page.matchAll(/^\| `(\{.*?\})` \|(.*?)\|(.*?)\|(.*)\|$/gm),
].map(([, scenario = '', code = '', metric = '', dashboard = '']) => ({
  scenario,
  code: /`(\w+)`/.exec(code)?.[1],
  metric: /`(\w+)/.exec(metric)?.[1] ?? '',
  labels: Object.fromEntries([...metric.matchAll(/(\w+)="(.*?)"/g)].map(([, name, value]) => [name, value])),
  shown: [...dashboard.matchAll(/“(.*?)”/g)].map(([, text = '']) => text),
}));

/** Sets the scenario of a reference. */
export async function setScenario(reference: { url: string }, body: string): Promise<void> {
  const response = await fetch(`${reference.url}/__scenario`, { method: 'POST', body });
  expect(response.status, await response.text()).toBe(200);
}
