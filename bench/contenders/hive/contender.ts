import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { inBench } from '../../paths.ts';
import { scratchFolder } from '../../processes/scratch.ts';
import type { Contender } from '../contender.ts';

const composed = new Map<string, string>();

export const hiveGateway: Contender = {
  id: 'hive',
  title: 'Hive Gateway with OpenAPI',
  format: 'openapi',
  packages: ['@graphql-hive/gateway', '@omnigraph/openapi', '@graphql-mesh/compose-cli'],
  env: { FORK: '1' },
  unsupported: {},
  command: ({ upstreamUrl }) => [
    process.execPath,
    inBench('node_modules/@graphql-hive/gateway/dist/bin.js'),
    'supergraph',
    supergraphOf(upstreamUrl),
    '--config-path',
    inBench('dist/contenders/hive/gateway.config.js'),
  ],
};

/** The file with the schema composed for this upstream, which contains its URL. */
function supergraphOf(upstreamUrl: string): string {
  const known = composed.get(upstreamUrl);
  if (known) return known;
  const file = join(scratchFolder(), 'supergraph.graphql');
  const config = inBench('dist/contenders/hive/mesh.config.js');
  const { status, stderr } = spawnSync(
    inBench('node_modules/.bin/mesh-compose'),
    ['--config-path', config, '--output', file],
    { encoding: 'utf8', env: { ...process.env, UPSTREAM_URL: upstreamUrl } },
  );
  if (status !== 0) throw new Error(`mesh-compose failed: ${stderr}`);
  composed.set(upstreamUrl, file);
  return file;
}
