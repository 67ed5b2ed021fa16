import { resolve } from 'node:path';
import { inBench, inProject } from '../paths.ts';
import type { Contender } from './contender.ts';
import { hiveGateway } from './hive/contender.ts';
import { createPortico, portico } from './portico.ts';
import { tailcall } from './tailcall/contender.ts';

const oneCall = 'it makes one REST call for each request';
const noParser = 'it parses no documents';

/** A contender in this package, in one Node process. */
function local(
  about: Pick<Contender, 'id' | 'title' | 'packages'> & Partial<Contender>,
  file: string,
): Contender {
  return {
    format: 'shared-schema',
    env: {},
    unsupported: {},
    command: () => [process.execPath, inBench(file)],
    ...about,
  };
}

/** The Portico that is built in a folder, both ways; the nth of them. Node's flags may follow the folder. */
function against(variant: string, nth: number): Contender[] {
  const id = nth === 0 ? 'portico-against' : `portico-against-${nth + 1}`;
  const [folder = '.', ...flags] = variant.split(' ');
  const path = resolve(inProject('.'), folder);
  return [
    createPortico(id, `Portico (${variant})`, path, portico.env, flags),
    createPortico(`${id}-default`, `Portico (${variant}) as it comes`, path, {}, flags),
  ];
}

/** All contenders, in the order of the report, with more Porticos: each a folder and Node's flags. */
export function createContenders(variants: readonly string[] = []): Contender[] {
  const root = inProject('.');
  return [
    local(
      {
        id: 'proxy',
        title: 'raw proxy',
        packages: ['undici'],
        format: 'rest',
        unsupported: { dashboard: oneCall, many: oneCall, fifty: oneCall, unseen: noParser },
      },
      'dist/contenders/proxy.js',
    ),
    local(
      {
        id: 'hand-written',
        title: 'hand-written handler',
        packages: ['undici'],
        unsupported: { unseen: noParser },
      },
      'dist/contenders/hand-written.js',
    ),
    portico,
    createPortico('portico-again', 'Portico, the same build again', root, portico.env),
    createPortico('portico-default', 'Portico as it comes', root, {}),
    ...variants.flatMap(against),
    local(
      {
        id: 'mercurius',
        title: 'Mercurius with JIT',
        packages: ['mercurius', 'graphql-jit', 'fastify', 'undici'],
      },
      'dist/contenders/mercurius.js',
    ),
    local(
      {
        id: 'mercurius-dispatch',
        title: 'Mercurius with JIT and dispatch',
        packages: ['mercurius', 'graphql-jit', 'fastify', 'undici'],
        env: { DISPATCH: '1' },
      },
      'dist/contenders/mercurius.js',
    ),
    local(
      {
        id: 'yoga-dispatch',
        title: 'Yoga with graphql-jit and dispatch',
        packages: ['graphql-yoga', 'graphql-jit', '@pothos/core', 'dataloader', 'undici'],
        env: { DISPATCH: '1', JIT: '1' },
      },
      'dist/contenders/yoga/main.js',
    ),
    local(
      { id: 'yoga', title: 'Yoga as documented', packages: ['graphql-yoga', '@pothos/core', 'dataloader'] },
      'dist/contenders/yoga/main.js',
    ),
    local(
      {
        id: 'apollo',
        title: 'Apollo Server with RESTDataSource',
        packages: ['@apollo/server', '@apollo/datasource-rest'],
      },
      'dist/contenders/apollo.js',
    ),
    hiveGateway,
    tailcall,
  ];
}
