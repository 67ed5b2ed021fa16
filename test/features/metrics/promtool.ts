import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { isInstalled, root } from '../../support/files.ts';

const rules = join(root, 'deploy/alerts/portico.yaml');

/** Whether there is Prometheus' own test tool. */
export const hasPromtool = isInstalled('promtool');

/** The values of each series, in promtool's notation: one every 15 seconds. */
export type Series = Record<string, string>;

/** The alerts that depend on the speed of the machine. */
const ofTheMachine = 'PorticoUpstreamSlow|PorticoEventLoopSlow|PorticoMemoryHigh';

/** Has Prometheus evaluate the alerts. @throws where others than `alerts` fire after `minutes` */
export function expectFiring(series: Series, alerts: readonly string[], minutes = 20): void {
  const folder = mkdtempSync(join(tmpdir(), 'portico-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const test = {
    rule_files: [rules],
    evaluation_interval: '15s',
    tests: [
      {
        interval: '15s',
        input_series: Object.entries(series).map(([series, values]) => ({ series, values })),
        promql_expr_test: [
          {
            expr: `group by (alertname) (ALERTS{alertstate="firing", alertname!~"${ofTheMachine}"})`,
            eval_time: `${minutes}m`,
            exp_samples: alerts.map((name) => ({ labels: `{alertname="${name}"}`, value: 1 })),
          },
        ],
      },
    ],
  };
  const file = join(folder, 'test.yaml');
  // JSON is YAML.
  writeFileSync(file, JSON.stringify(test));
  execFileSync('promtool', ['test', 'rules', file], { encoding: 'utf8' });
}
