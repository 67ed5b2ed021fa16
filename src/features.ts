import { checkConfig } from './command/check-config.ts';
import type { Command } from './command/command.ts';
import { printSchema } from './command/print-schema.ts';
import { startLogs } from './features/logs/index.ts';
import { startMetrics } from './features/metrics/index.ts';
import { startTraces } from './features/traces/index.ts';
import type { StartObserver } from './observers/observer.ts';
import { checkUpstream } from './programs/check-upstream/index.ts';
import { mcp } from './programs/mcp/index.ts';
import { plan } from './programs/plan/index.ts';
import { usage } from './programs/usage/index.ts';

/** The commands, in the order in which `portico --help` lists them. */
export const commands: readonly Command[] = [checkConfig, checkUpstream, printSchema, plan, usage, mcp];

/**
 * What observes a gateway, in the order of the start; the last one is closed first. The log comes before those
 * that write to it.
 */
export const observerStarts: readonly StartObserver[] = [startLogs, startTraces, startMetrics];
