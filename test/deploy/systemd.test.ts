import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { settings } from '../../src/features.ts';
import { haproxyFile } from '../support/balancer.ts';
import { textOf } from '../support/files.ts';
import { startProcess } from '../support/process.ts';
import { settingNames } from './files.ts';
import { envFrom, itIsAccepted, readUnit } from './unit.ts';

const { text, valuesOf } = readUnit('portico@.service');

/** The environment of the instance, without that of the files. */
function envOf(instance: string): Record<string, string> {
  return envFrom(valuesOf('Environment').join(' ').replaceAll('%i', instance));
}

itIsAccepted('portico@4001.service', text);

it('sets declared settings to valid values, and grants the time that a shutdown takes', () => {
  const env = envOf('4001');
  const [, allocator = ''] = valuesOf('Environment');
  const others = Object.keys(env).filter((name) => !settingNames.includes(name));
  expect(others).toEqual(Object.keys(envFrom(allocator)));
  expect(textOf('deploy/Dockerfile')).toContain(`\nENV ${allocator}\n`);
  expect(
    settings.configFromEnv({ ...env, UPSTREAM_URL: 'https://partner-api.example.com' }).faults,
  ).toBeUndefined();
  const drainSeconds = (Number(env.DRAIN_DELAY_MS) + 25_000) / 1000 + 4;
  expect(Number(valuesOf('TimeoutStopSec')[0])).toBeGreaterThan(drainSeconds);
});

it('starts a gateway on the port of each instance, where HAProxy looks for it', async () => {
  const haproxy = readFileSync(haproxyFile, 'utf8');
  const instances = /enable --now (.+)$/m
    .exec(text)?.[1]
    ?.split(' ')
    .map((name) => name.split('@')[1]);
  const places = [...haproxy.matchAll(/presetenv GATEWAY_\d 127\.0\.0\.1:(\d+)/g)].map(([, port]) => port);
  expect(instances).toEqual(places);

  expect(valuesOf('ExecStart')).toEqual([
    manifest.scripts.start.replace('node', '/usr/bin/node').replace('dist', '/opt/portico/current/dist'),
  ]);
  // Instance 0, for a free port.
  const env = { ...envOf('0'), DRAIN_DELAY_MS: '0', UPSTREAM_URL: 'https://partner-api.example.com' };
  const gateway = await startProcess('main.ts', env);
  await gateway.printed(/^ready at http:\/\/127\.0\.0\.1:\d+\/graphql/m);
  gateway.kill('SIGTERM');
  expect(await gateway.exit()).toMatchObject({ code: 0 });
});
