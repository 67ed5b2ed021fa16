import { checkConfig } from './command/check-config.ts';
import type { Command } from './command/command.ts';
import { printSchema } from './command/print-schema.ts';
import { createExplain } from './features/explain/index.ts';
import type { CreateFeaturePhases } from './operation/pipeline.ts';
import { checkUpstream } from './programs/check-upstream/index.ts';
import { mcp } from './programs/mcp/index.ts';
import { plan } from './programs/plan/index.ts';
import { usage } from './programs/usage/index.ts';

/** The commands, in the order in which `portico --help` lists them. */
export const commands: readonly Command[] = [checkConfig, checkUpstream, printSchema, plan, usage, mcp];

/** The phases of features. */
export const featurePhases: CreateFeaturePhases = (operations) => {
  const explain = createExplain(operations);
  return { first: [explain.header], checked: [explain.plan], result: [explain.report] };
};
