import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { expect, it } from 'vitest';
import { makeFolder } from '../support/manifest.ts';
import { hasKubectl, root, yamlOf } from './files.ts';

const folder = 'deploy/envoy-gateway';

interface Reference {
  group?: string;
  kind?: string;
  name: string;
  port?: number;
}

const component = yamlOf<{ kind: string; resources: string[] }>(`${folder}/kustomization.yaml`);
const route = yamlOf<{
  apiVersion: string;
  kind: string;
  metadata: { name: string };
  spec: { rules: { backendRefs: Reference[]; timeouts: object }[] };
}>(`${folder}/route.yaml`);
const policy = yamlOf<{ spec: { targetRefs: Reference[]; loadBalancer: object } }>(
  `${folder}/traffic-policy.yaml`,
);

it('is a component with exactly the existing manifests', () => {
  const files = readdirSync(join(root, folder)).filter((name) => name !== 'kustomization.yaml');
  expect(component.kind).toBe('Component');
  expect([...component.resources].sort()).toEqual(files.sort());
});

it('routes to the port of the Service, without a time limit for streams', () => {
  const service = yamlOf<{ metadata: { name: string }; spec: { ports: { port: number }[] } }>(
    'deploy/kubernetes/service.yaml',
  );
  const [port] = service.spec.ports;
  expect(route.spec.rules).toMatchObject([
    { backendRefs: [{ name: service.metadata.name, port: port?.port }], timeouts: { request: '0s' } },
  ]);
});

it('hashes the API key, for that route', () => {
  const [group] = route.apiVersion.split('/');
  expect(policy.spec.targetRefs).toEqual([{ group, kind: route.kind, name: route.metadata.name }]);
  expect(policy.spec.loadBalancer).toEqual({
    type: 'ConsistentHash',
    consistentHash: { type: 'Header', header: { name: 'x-api-key' } },
  });
});

it.skipIf(!hasKubectl)('is built by kustomize in an overlay, as its comment says', async () => {
  const overlay = await makeFolder();
  const pathTo = (name: string) => relative(overlay, join(root, 'deploy', name));
  await writeFile(
    join(overlay, 'kustomization.yaml'),
    `resources: [${pathTo('kubernetes')}]\ncomponents: [${pathTo('envoy-gateway')}]\n`,
  );
  const built = execFileSync('kubectl', ['kustomize', overlay], { encoding: 'utf8' });
  expect(built).toMatch(/kind: BackendTrafficPolicy/);
});
