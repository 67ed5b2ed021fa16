import { type DocumentNode, print } from 'graphql';
import { createIdleGateway } from '../../command/check.ts';
import { createPlanner, formulaOf, type OperationPlan } from '../../features/explain/index.ts';
import { composition } from '../../features.ts';
import { asSent } from './client-directives.ts';

// The types of GraphQL Code Generator that are read: of its plugins, and of the options of one of them.
type Sources = readonly { document: DocumentNode }[];
type Output = string | { content: string };
type Plugin = { plugin(schema: unknown, sources: Sources, ...others: unknown[]): Output | Promise<Output> };
type Named = { initialName: string; definition: { kind: string; name: { value: string } } };
type Options = { sourcesWithOperations: { source: { rawSDL: string }; operations: Named[] }[] };
type Generated = { pluginMap: { [name: string]: Plugin }; plugins: { [name: string]: Options }[] };

/** An export: a document with its name, or `graphql()` with the quoted text of one. */
const exported = /^export (?:const (\w+)|function \w+\(source: ("(?:[^"\\]|\\.)*")\))/gm;

/**
 * Makes the client preset of GraphQL Code Generator write the REST calls of each operation: as the comment of its
 * document, and of the `graphql()` that takes its text. Takes the defaults of all settings, and not the environment. The
 * generation fails, with the reasons, if an operation is invalid for such a gateway.
 */
export function withCosts<Preset extends { buildGeneratesSection(options: never): unknown }>(preset: Preset) {
  async function buildGeneratesSection(options: never) {
    const files = (await preset.buildGeneratesSection(options)) as Generated[];
    const found = files.flatMap(({ plugins }) => plugins.flatMap((one) => one['gen-dts'] ?? []));
    if (found.length === 0) throw new Error('withCosts takes the client preset');
    const commented = ([name, { plugin, ...rest }]: [string, Plugin]) => {
      const written: Plugin['plugin'] = async (schema, sources, ...others) => {
        const output = await plugin(schema, sources, ...others);
        const { content, ...around } = typeof output === 'string' ? { content: output } : output;
        // Some files are generated without the documents.
        const comments = sources.length > 0 ? commentsOf(sources, found) : new Map<string, string>();
        const place = (at: string, name?: string, text = '') => `${comments.get(name ?? text) ?? ''}${at}`;
        return { ...around, content: content.replace(exported, place) };
      };
      return [name, { ...rest, plugin: written }];
    };
    const all = (map: Generated['pluginMap']) => Object.fromEntries(Object.entries(map).map(commented));
    return files.map((file) => ({ ...file, pluginMap: all(file.pluginMap) }));
  }
  return { ...preset, buildGeneratesSection };
}

/** The comments, by the names of documents and by the quoted texts with an operation. */
function commentsOf(sources: Sources, options: readonly Options[]): Map<string, string> {
  const { config } = composition.settings.configFromEnv({});
  if (!config) throw new Error('the defaults are invalid');
  const gateway = createIdleGateway(config, composition).operations;
  const from = { isTrusted: false, placeAt: () => ({ file: '', line: 1, column: 1 }) };
  const texts = sources.map(({ document }) => ({ ...from, text: print(document) }));
  const request = { variables: {}, maxCalls: Infinity };
  const { operations: plans, faults } = createPlanner(gateway, asSent).plan(texts, request);
  const costs = new Map(plans.map((plan) => [plan.name, costOf(plan, gateway.maxIds)]));
  const comments = new Map<string, string>();
  // The text of several operations is the document of the first.
  for (const { source, operations } of options.flatMap((one) => one.sourcesWithOperations))
    for (const { initialName, definition } of operations.toReversed()) {
      if (definition.kind !== 'OperationDefinition') continue;
      const cost = costs.get(definition.name.value);
      if (!cost) throw new Error(faults.map(({ message }) => message).join('\n'));
      for (const key of [initialName, JSON.stringify(source.rawSDL)]) comments.set(key, `/** ${cost} */\n`);
    }
  return comments;
}

/** `1 + 2 × $ids REST calls`, and what the plan assumes of the variables that are not in it. */
function costOf({ calls, omittedCalls, cost, assumed, live }: OperationPlan, maxIds: number): string {
  const variables = omittedCalls ? [] : calls.flatMap(({ path }) => /\{(\$\w+)\}/.exec(path)?.[1] ?? []);
  // A list without a value is planned with `maxIds` ids.
  const lists = [...new Set(variables)]
    .map((list) => ({ list, calls: variables.filter((one) => one === list).length / maxIds }))
    .filter(({ calls }) => calls >= 1);
  const known = cost.known - maxIds * lists.reduce((sum, { calls }) => sum + calls, 0);
  const formula = formulaOf({ ...cost, known, forEach: [...lists, ...cost.forEach] });
  const others = assumed.filter((text) => !lists.some(({ list }) => text.startsWith(`${list}: `)));
  const unit = `REST call${formula === '1' ? '' : 's'}${live ? ' a round of polls' : ''}`;
  return [`${formula} ${unit}`, ...others].join('; ');
}
