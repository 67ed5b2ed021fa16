import { resolve } from 'node:path';
import { inBench, inProject } from '../paths.ts';
import type { WorkloadId } from '../workloads/workloads.ts';
import type { Contender } from './contender.ts';
import { allocatorVariables, ownFlags, startCommand } from './portico.ts';

const everywhere: WorkloadId[] = ['w2', 'w4', 'w6', 'w8', 'w9', 'w10'];
/** A handler by hand parses no documents, so that it sees no unseen ones. */
const byHand: WorkloadId[] = ['w2', 'w4', 'w8', 'w9', 'w10'];
/** Those that are far behind are measured in the workloads that show it. */
const farBehind: WorkloadId[] = ['w2', 'w4', 'w6', 'w9'];
/** Where docs/sizing.md has figures of the defaults. */
const sized: WorkloadId[] = ['w2', 'w4'];

/** A contender in this package. */
function local(
  id: string,
  title: string,
  workloads: readonly WorkloadId[],
  file = id,
  flags: readonly string[] = [],
): Contender {
  const command: Contender['command'] = [process.execPath, ...flags, inBench(`dist/contenders/${file}.js`)];
  return { id, title, command, env: {}, workloads };
}

function portico(id: string, title: string, about: Partial<Contender> = {}): Contender {
  return {
    id,
    title,
    command: startCommand(),
    env: { LOG_LEVEL: 'warn', ...allocatorVariables() },
    workloads: everywhere,
    ...about,
  };
}

/** The Portico that is built in a folder; the nth of them. Node's flags may follow the folder. */
function against(variant: string, nth: number): Contender {
  const [folder = '.', ...flags] = variant.split(' ');
  const command = startCommand(resolve(inProject('.'), folder), flags);
  return portico(nth === 0 ? 'against' : `against-${nth + 1}`, `Portico (${variant})`, { command });
}

/** All contenders, in the order of the report, with more Porticos: each a folder and Node's flags. */
export function createContenders(variants: readonly string[] = []): Contender[] {
  return [
    local('hand-written', 'a handler by hand', byHand),
    local('hand-written-space', 'by hand, young space of Portico', byHand, 'hand-written', ownFlags()),
    portico('portico', 'Portico, warnings logged'),
    portico('portico-again', 'Portico again: the noise floor'),
    portico('portico-default', 'Portico as it comes', { env: allocatorVariables(), workloads: sized }),
    ...variants.map(against),
    local('mercurius', 'Mercurius with JIT', everywhere),
    local('yoga', 'Yoga as documented', farBehind),
    local('apollo', 'Apollo Server as documented', farBehind),
  ];
}
