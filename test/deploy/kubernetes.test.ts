import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { version } from '../../src/command/help.ts';
import { settings } from '../../src/features.ts';
import { hasKubectl, namesHost, root, settingNames, yamlOf } from './files.ts';

const folder = 'deploy/kubernetes';
const read = <T>(file: string) => yamlOf<T>(`${folder}/${file}`);

interface Named {
  apiVersion: string;
  kind: string;
  metadata: { name: string; labels: Record<string, string> };
}
interface Selector {
  matchLabels: Record<string, string>;
}
interface Probe {
  httpGet: { path: string; port: string };
}
interface Container {
  image: string;
  ports: { name: string; containerPort: number }[];
  env: { name: string; valueFrom: { secretKeyRef: { name: string } } }[];
  envFrom: { configMapRef: { name: string } }[];
  resources: { requests: object };
  securityContext: object;
  lifecycle: { preStop: { exec: { command: string[] } } };
  startupProbe: Probe;
  readinessProbe: Probe;
  livenessProbe: Probe;
}
interface PodSpec {
  containers: [Container];
  topologySpreadConstraints: { labelSelector: Selector }[];
  terminationGracePeriodSeconds: number;
}
type Ports = { port: string | number; protocol?: string }[];

const deployment = read<
  Named & { spec: { selector: Selector; template: { metadata: Named['metadata']; spec: PodSpec } } }
>('deployment.yaml');
const service = read<Named & { spec: { selector: object; ports: { name: string; targetPort: string }[] } }>(
  'service.yaml',
);
const autoscaler = read<{ spec: { scaleTargetRef: Named & { name: string } } }>('autoscaler.yaml');
const budget = read<{ spec: { selector: Selector } }>('disruption-budget.yaml');
const policy = read<{
  spec: {
    podSelector: Selector;
    ingress: { ports: Ports }[];
    egress: { to?: { ipBlock?: { cidr: string } }[]; ports: Ports }[];
  };
}>('network-policy.yaml');
const monitor = read<{ spec: { selector: Selector; endpoints: { port: string }[] } }>('service-monitor.yaml');
const kustomization = read<{
  resources: string[];
  images: { name: string; newTag: string }[];
  configMapGenerator: { name: string; literals: string[] }[];
}>('kustomization.yaml');

const pod = deployment.spec.template;
const [container] = pod.spec.containers;
const ports = container.ports.map(({ name }) => name);
const literals = Object.fromEntries(
  kustomization.configMapGenerator.flatMap(({ literals }) => literals.map((line) => line.split(/=(.*)/s))),
) as Record<string, string>;

it('lists exactly the existing manifests', () => {
  const files = readdirSync(join(root, folder)).filter((name) => name !== 'kustomization.yaml');
  expect([...kustomization.resources].sort()).toEqual(files.sort());
});

it.skipIf(!hasKubectl)('is built by kustomize, with the name of the ConfigMap in the pods', () => {
  const built = execFileSync('kubectl', ['kustomize', join(root, folder)], { encoding: 'utf8' });
  const [, name] = /kind: ConfigMap\nmetadata:\n {2}name: (portico-\w+)\n/.exec(built) ?? [];
  expect(built).toContain(`configMapRef:\n            name: ${name}\n`);
  expect(built).toContain(`image: portico:${version}\n`);
});

it('selects the same pods everywhere', () => {
  const labels = pod.metadata.labels;
  const selectors = [
    deployment.spec.selector.matchLabels,
    service.spec.selector,
    budget.spec.selector.matchLabels,
    policy.spec.podSelector.matchLabels,
    ...pod.spec.topologySpreadConstraints.map(({ labelSelector }) => labelSelector.matchLabels),
  ];
  expect(selectors).toHaveLength(6);
  for (const selector of selectors) expect(selector).toEqual(labels);
  expect(monitor.spec.selector.matchLabels).toEqual(service.metadata.labels);
  const { apiVersion, kind, name } = autoscaler.spec.scaleTargetRef;
  expect({ apiVersion, kind, name }).toEqual({
    apiVersion: deployment.apiVersion,
    kind: deployment.kind,
    name: deployment.metadata.name,
  });
});

it('refers to existing ports only', () => {
  expect(ports).toEqual(['http', 'admin']);
  for (const { targetPort } of service.spec.ports) expect(ports).toContain(targetPort);
  const served = service.spec.ports.map(({ name }) => name);
  for (const { port } of monitor.spec.endpoints) expect(served).toContain(port);
  const letIn = policy.spec.ingress.flatMap((rule) => rule.ports).map(({ port }) => port);
  expect(letIn).toEqual(ports);
});

it('probes the admin port: startup and readiness at /readyz, liveness at /livez', () => {
  const { livenessProbe, readinessProbe, startupProbe } = container;
  const probes = [startupProbe, livenessProbe, readinessProbe].map((probe) => probe.httpGet);
  expect(probes).toEqual([
    { path: '/readyz', port: 'admin' },
    { path: '/livez', port: 'admin' },
    { path: '/readyz', port: 'admin' },
  ]);
});

it('permits DNS queries to the cache of the node', () => {
  const [rule] = policy.spec.egress.filter(({ to }) =>
    to?.some(({ ipBlock }) => ipBlock?.cidr === '169.254.20.10/32'),
  );
  expect(rule?.ports).toEqual([
    { port: 53, protocol: 'UDP' },
    { port: 53, protocol: 'TCP' },
  ]);
});

it('scales by the requested CPU, between two and ten pods', () => {
  expect(autoscaler.spec).toMatchObject({ minReplicas: 2, maxReplicas: 10 });
  expect(container.resources.requests).toHaveProperty('cpu');
  // The autoscaler would overwrite it.
  expect(deployment.spec).not.toHaveProperty('replicas');
});

it('refers to the generated ConfigMap and to a Secret that the operator creates', () => {
  const maps = kustomization.configMapGenerator.map(({ name }) => name);
  expect(container.envFrom.map(({ configMapRef }) => configMapRef.name)).toEqual(maps);
  expect(container.env.map(({ valueFrom }) => valueFrom.secretKeyRef.name)).toEqual(['portico']);
  expect(JSON.stringify(kustomization)).not.toMatch(/secret/i);
});

it('sets declared settings to valid values', () => {
  const names = [...Object.keys(literals), ...container.env.map(({ name }) => name)];
  expect(names.length).toBeGreaterThan(3);
  expect(names.filter((name) => !settingNames.includes(name))).toEqual([]);
  expect(settings.configFromEnv({ NODE_ENV: 'production', ...literals }).faults).toBeUndefined();
  expect(literals.ADMIN_PORT).toBe(
    String(container.ports.find(({ name }) => name === 'admin')?.containerPort),
  );
});

it('grants the pods no unnecessary privilege', () => {
  expect(pod.spec).toMatchObject({
    automountServiceAccountToken: false,
    securityContext: { runAsNonRoot: true, runAsUser: 1000, seccompProfile: { type: 'RuntimeDefault' } },
  });
  expect(container.securityContext).toEqual({
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] },
  });
});

it('grants more time for shutdown than it takes', () => {
  const [, seconds] = container.lifecycle.preStop.exec.command;
  const { config } = settings.configFromEnv({ NODE_ENV: 'production', ...literals });
  const drainMs = config?.drain.timeoutMs ?? NaN;
  expect(pod.spec.terminationGracePeriodSeconds).toBeGreaterThan(Number(seconds) + drainMs / 1000);
});

it('names an image without a registry', () => {
  expect(kustomization.images.map(({ name }) => name)).toEqual([container.image]);
  expect(namesHost(container.image)).toBe(false);
});
