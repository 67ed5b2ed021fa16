import { checkConfig } from './command/check-config.ts';
import type { Command } from './command/command.ts';
import { printSchema } from './command/print-schema.ts';
import type { Composition } from './composition.ts';
import { browser } from './features/browser/index.ts';
import { graphiql } from './features/graphiql/index.ts';
import { checkUpstream } from './programs/check-upstream/index.ts';
import { mcp } from './programs/mcp/index.ts';
import { plan } from './programs/plan/index.ts';
import { usage } from './programs/usage/index.ts';

/** The commands, in the order in which `portico --help` lists them. */
export const commands: readonly Command[] = [checkConfig, checkUpstream, printSchema, plan, usage, mcp];

/** What a gateway consists of: a contribution is a line, and one that is off is an empty list. */
export const composition: Composition = {
  responseFields: ({ edge }) => [
    ...browser.fields(edge), //
  ],
  routes: (options) => [
    ...graphiql.routes(options), //
    ...browser.routes(options),
  ],
};
