import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { readReferenceConfig } from '../../reference/config.ts';
import { settings } from '../../src/features.ts';
import { root, textOf } from '../support/files.ts';
import { namesHost, settingNames, yamlOf } from './files.ts';

interface ComposeService {
  image: string;
  deploy?: { replicas: number };
  build?: { context: string; dockerfile: string };
  environment?: Record<string, string | number>;
  ports?: string[];
  networks: string[];
  command?: string[];
  depends_on?: Record<string, { condition: string }>;
  volumes?: string[];
}

const file = yamlOf<{
  services: Record<'balancer' | 'gateway' | 'reference' | 'valkey' | 'postgres', ComposeService>;
  networks: Record<string, unknown>;
  volumes: Record<string, unknown>;
  name: string;
}>('deploy/compose.yaml');
const { balancer, gateway, reference, postgres } = file.services;
const services = Object.entries(file.services);

const envOf = ({ environment = {} }: ComposeService): Record<string, string> =>
  Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, String(value)]));

it('builds the image from existing files', () => {
  for (const { build } of [gateway, reference]) {
    const context = resolve(root, 'deploy', build?.context ?? '');
    expect(context).toBe(root);
    expect(existsSync(resolve(context, build?.dockerfile ?? ''))).toBe(true);
  }
  expect(existsSync(resolve(root, reference.command?.[1]?.replace(/^dist\/(.*)js$/, '$1ts') ?? ''))).toBe(
    true,
  );
});

it('sets declared settings to valid values, with the environment of the image', () => {
  for (const service of [gateway, reference]) {
    expect(Object.keys(envOf(service)).filter((name) => !settingNames.includes(name))).toEqual([]);
  }
  const image = { NODE_ENV: 'production', HOST: '0.0.0.0' };
  expect(settings.configFromEnv({ ...image, ...envOf(gateway) }).faults).toBeUndefined();
  expect(readReferenceConfig({ ...image, ...envOf(reference) })).toMatchObject({
    options: { environment: 'test', host: '0.0.0.0', port: 4001 },
  });
});

it('has a service for every address, on a shared network', () => {
  const addresses = [gateway, reference].flatMap((service) =>
    Object.values(envOf(service))
      .filter((value) => /^[a-z]+:\/\/(?!127\.0\.0\.1)/.test(value))
      .map((value) => ({ from: service, to: new URL(value).hostname, port: new URL(value).port })),
  );
  expect(addresses.map(({ to, port }) => `${to}:${port}`)).toEqual([
    'reference:4001',
    'valkey:6379',
    'postgres:5432',
  ]);
  for (const { from, to } of addresses) {
    const [, target] = services.find(([name]) => name === to) ?? [];
    expect(target?.networks.some((network) => from.networks.includes(network))).toBe(true);
    expect(from.depends_on).toHaveProperty(to, { condition: 'service_healthy' });
  }
  for (const [, { networks }] of services)
    for (const name of networks) expect(file.networks).toHaveProperty(name);
  for (const volume of postgres.volumes ?? [])
    expect(file.volumes).toHaveProperty(volume.split(':')[0] ?? '');
});

it('has HAProxy connect to each gateway by the name that Compose gives its container', () => {
  const { BIND, ...gateways } = envOf(balancer);
  const config = textOf('deploy/haproxy/haproxy.cfg');
  const servers = [...config.matchAll(/^ +server \S+ "\$\{(\w+)\}" id \d$/gm)].map(([, name]) => name);
  expect(Object.keys(gateways)).toEqual(servers);
  expect(Object.values(gateways)).toEqual(servers.map((_, n) => `${file.name}-gateway-${n + 1}:4000`));
  expect(servers).toHaveLength(gateway.deploy?.replicas ?? 0);
  expect(balancer.volumes).toEqual(['./haproxy/haproxy.cfg:/usr/local/etc/haproxy/haproxy.cfg:ro']);
  expect(balancer.ports).toEqual([`127.0.0.1:4000${BIND}`]);
});

it('opens no port to other machines, and names no registry', () => {
  for (const [, { ports = [], image }] of services) {
    expect(ports.filter((port) => !port.startsWith('127.0.0.1:'))).toEqual([]);
    expect(namesHost(image)).toBe(false);
  }
});
