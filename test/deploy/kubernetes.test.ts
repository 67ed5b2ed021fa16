import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Deployment, type IDeployment } from 'kubernetes-models/apps/v1/Deployment';
import { HorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2/HorizontalPodAutoscaler';
import { type INetworkPolicy, NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1/NetworkPolicy';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1/PodDisruptionBudget';
import { type IService, Service } from 'kubernetes-models/v1/Service';
import { expect, it } from 'vitest';
import { version } from '../../src/config/settings.ts';
import { settings } from '../../src/features.ts';
import { isInstalled, root } from '../support/files.ts';
import { settingNames, yamlOf } from './files.ts';

const folder = 'deploy/kubernetes';
const read = <T>(file: string) => yamlOf<T>(`${folder}/${file}`);

const manifests = [
  ['deployment.yaml', Deployment, 'kubernetes-models/apps/v1/Deployment'],
  ['balancer.yaml', Deployment, 'kubernetes-models/apps/v1/Deployment'],
  ['service.yaml', Service, 'kubernetes-models/v1/Service'],
  ['gateways.yaml', Service, 'kubernetes-models/v1/Service'],
  ['autoscaler.yaml', HorizontalPodAutoscaler, 'kubernetes-models/autoscaling/v2/HorizontalPodAutoscaler'],
  ['disruption-budget.yaml', PodDisruptionBudget, 'kubernetes-models/policy/v1/PodDisruptionBudget'],
  ['network-policy.yaml', NetworkPolicy, 'kubernetes-models/networking.k8s.io/v1/NetworkPolicy'],
] as const;

function deploymentOf(file: string) {
  const { metadata, spec } = read<IDeployment>(file);
  return { name: metadata?.name, spec, pod: spec?.template, container: spec?.template.spec?.containers[0] };
}
const [gateway, haproxy] = [deploymentOf('deployment.yaml'), deploymentOf('balancer.yaml')];
const services = ['service.yaml', 'gateways.yaml'].map((file) => read<IService>(file));
const kustomization = read<{
  resources: string[];
  configMapGenerator: { name: string; literals: string[] }[];
}>('kustomization.yaml');
const literals = Object.fromEntries(
  kustomization.configMapGenerator.flatMap(({ literals }) => literals.map((line) => line.split(/=(.*)/s))),
) as Record<string, string>;

it('lists exactly the existing manifests', () => {
  const files = readdirSync(join(root, folder)).filter((name) => name !== 'kustomization.yaml');
  expect([...kustomization.resources].sort()).toEqual(['../haproxy', ...files].sort());
  // There is no schema of Kubernetes for the resource of the Prometheus operator.
  expect([...manifests.map(([file]) => file as string), 'service-monitor.yaml'].sort()).toEqual(files.sort());
});

it.each(manifests)('has a valid %s by the published schema', (file, Model) => {
  const { apiVersion, kind, ...rest } = read<{ apiVersion: string; kind: string }>(file);
  expect({ apiVersion, kind }).toEqual({ apiVersion: Model.apiVersion, kind: Model.kind });
  new Model(rest as never).validate();
  expect(() => new Model({ ...rest, spec: 'none' } as never).validate()).toThrow();
});

/** The schemas allow unknown fields; the types generated from them do not. */
it('has no unknown field', () => {
  const lines = manifests.map(([file, , module]) => {
    const manifest = read<{ kind: string }>(file);
    return `(${JSON.stringify(manifest)}) satisfies import('${module}').I${manifest.kind};`;
  });
  const wrong = `({ apiVersion: 'v1', kind: 'Service', spec: { port: [] } }) satisfies import('kubernetes-models/v1/Service').IService;`;
  const dir = mkdtempSync(join(root, 'node_modules/.manifests-'));
  try {
    writeFileSync(join(dir, 'right.ts'), `${lines.join('\n')}\nexport {};\n`);
    writeFileSync(join(dir, 'wrong.ts'), `${wrong}\nexport {};\n`);
    const options = ['--ignoreConfig', '--noEmit', '--strict', '--skipLibCheck', '--types', 'node'];
    const modules = ['--module', 'preserve', '--moduleResolution', 'bundler'];
    const { stdout } = spawnSync(
      join(root, 'node_modules/.bin/tsc'),
      [...options, ...modules, 'right.ts', 'wrong.ts'],
      {
        cwd: dir,
        encoding: 'utf8',
      },
    );
    expect(stdout.trim().split('\n')).toEqual([expect.stringMatching(/^wrong\.ts.*'port' does not exist/)]);
  } finally {
    rmSync(dir, { recursive: true });
  }
});

it.skipIf(!isInstalled('kubectl', 'version', '--client'))(
  'is built by kustomize, with the names of both ConfigMaps in the pods',
  () => {
    const built = execFileSync('kubectl', ['kustomize', join(root, folder)], { encoding: 'utf8' });
    const names = [...built.matchAll(/kind: ConfigMap\nmetadata:\n {2}name: (\S+)\n/g)].map(
      ([, name]) => name,
    );
    expect(built).toContain(`configMapRef:\n            name: ${names[0]}\n`);
    expect(built).toContain(`configMap:\n          name: ${names[1]}\n`);
    expect(built).toContain(`image: portico:${version}\n`);
  },
);

it('selects the pods of HAProxy for clients, and those of the gateway for HAProxy and for Prometheus', () => {
  for (const [n, { spec, pod }] of [haproxy, gateway].entries()) {
    const labels = { 'app.kubernetes.io/part-of': 'portico', ...spec?.selector.matchLabels };
    expect(pod?.metadata?.labels).toEqual(labels);
    expect(services[n]?.spec?.selector).toEqual(spec?.selector.matchLabels);
    for (const { port, targetPort } of services[n]?.spec?.ports ?? []) {
      const [found] =
        (n === 0 ? haproxy : gateway).container?.ports?.filter(({ name }) => name === targetPort) ?? [];
      // The addresses of a headless Service are those of the pods.
      expect(n === 0 ? 80 : found?.containerPort).toBe(port);
    }
  }
  expect(services[1]?.spec?.clusterIP).toBe('None');
  expect(
    read<{ spec: { selector: { matchLabels: object } } }>('service-monitor.yaml').spec.selector.matchLabels,
  ).toEqual(services[1]?.metadata?.labels);
  expect(read<HorizontalPodAutoscaler>('autoscaler.yaml').spec?.scaleTargetRef.name).toBe(gateway.name);
  // The autoscaler would overwrite it.
  expect(gateway.spec).not.toHaveProperty('replicas');
});

it('lets HAProxy reach the ports of the gateway that it looks up', () => {
  const { ingress, podSelector } = read<INetworkPolicy>('network-policy.yaml').spec ?? {};
  expect(podSelector?.matchLabels).toEqual(gateway.spec?.selector.matchLabels);
  expect(ingress?.[0]).toEqual({
    from: [{ podSelector: { matchLabels: haproxy.spec?.selector.matchLabels } }],
    ports: [{ port: 'http' }, { port: 'admin' }],
  });
  const env = new Map(haproxy.container?.env?.map(({ name, value }) => [name, value]));
  const [http, admin] = gateway.container?.ports?.map(({ containerPort }) => containerPort) ?? [];
  expect(env.get('GATEWAYS')).toBe(`${services[1]?.metadata?.name}.$(NAMESPACE).svc.cluster.local:${http}`);
  expect(env.get('BIND')).toBe(`:${haproxy.container?.ports?.[0]?.containerPort}`);
  expect(literals.ADMIN_PORT).toBe(String(admin));
});

it('refers to the generated ConfigMap and to a Secret that the operator creates, with valid settings', () => {
  const maps = kustomization.configMapGenerator.map(({ name }) => name);
  const { env = [], envFrom } = gateway.container ?? {};
  expect(envFrom?.map(({ configMapRef }) => configMapRef?.name)).toEqual(maps);
  expect(env.map(({ valueFrom }) => valueFrom?.secretKeyRef?.name)).toEqual(['portico']);
  const names = [...Object.keys(literals), ...env.map(({ name }) => name)];
  expect(names.filter((name) => !settingNames.includes(name))).toEqual([]);
  expect(settings.configFromEnv({ NODE_ENV: 'production', ...literals }).faults).toBeUndefined();
});

it('grants the pods no unnecessary privilege', () => {
  for (const { pod, container } of [gateway, haproxy]) {
    expect(pod?.spec).toMatchObject({
      automountServiceAccountToken: false,
      securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
    });
    expect(container?.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
  }
});

it('stops a pod after the 30 s for which DNS may name it, and grants the time that its shutdown takes', () => {
  const [, seconds] = gateway.container?.lifecycle?.preStop?.exec?.command ?? [];
  const { config } = settings.configFromEnv({ NODE_ENV: 'production', ...literals });
  const drainSeconds = (config?.drain.timeoutMs ?? NaN) / 1000;
  expect(Number(seconds)).toBeGreaterThan(30);
  expect(gateway.pod?.spec?.terminationGracePeriodSeconds).toBeGreaterThan(
    Number(seconds) + drainSeconds + 4,
  );
});
