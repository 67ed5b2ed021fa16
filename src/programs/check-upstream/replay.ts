import { execute, type GraphQLNamedType, getNamedType, isObjectType, parse } from 'graphql';
import { Aborter } from '../../abort.ts';
import type { CoreConfig } from '../../config/core.ts';
import { createErrorMask } from '../../errors.ts';
import { createInput } from '../../input.ts';
import { OperationCalls } from '../../loaders.ts';
import { schema } from '../../schema/index.ts';
import { MAX_RESPONSE_VALUES, ResponseBudget } from '../../schema/response-budget.ts';
import type { Send, UpstreamResponse } from '../../upstream/call.ts';
import { createEndpoints } from '../../upstream/client.ts';
import { decoding } from '../../upstream/decoding.ts';
import type { Relation } from '../../upstream/resources.ts';

export type Kind = 'site' | 'conversation';
/** Header fields of a request, in place of the key. */
export type Fields = Readonly<Record<string, string>>;
type Get = (target: string, fields?: Fields) => Promise<UpstreamResponse>;

/**
 * Executes the query of a resource with all its fields on responses of an API, by the gateway's own code.
 * Returns in words what is null and each error with its code, and what is wrong with the responses.
 */
export function createReplay(
  config: Pick<CoreConfig, 'siteIdPrefix' | 'maxIds' | 'maxUpstreamCalls'>,
  get: Get,
) {
  const input = createInput(config);
  // What is no failure of the API ends the check of a rule.
  const mask = createErrorMask((fault) => {
    throw fault;
  });

  async function replay(kind: Kind, id: string, include: readonly Relation[], fields?: Fields) {
    const drifted = new Set<string>();
    const undecoded = { isDecoded: false, resource: undefined };
    const recorded: Send = ({ target }, done) =>
      void get(target.path, fields).then((response) => done({ ...response, ...undecoded }), done);
    const client = createEndpoints(decoding((field) => drifted.add(field))(recorded));
    const caller = { apiKey: '', keyHash: '', signal: new Aborter() };
    const loaders = new OperationCalls(client, caller, config.maxUpstreamCalls).loaders();
    const response = new ResponseBudget({ maxValues: MAX_RESPONSE_VALUES, maxErrors: 10 });
    const [field, type] = kind === 'site' ? ['site', 'Site'] : ['conversationContext', 'ConversationContext'];
    const query = `query ($id: ID!) { ${field}(id: $id) ${selectionOf(schema.getType(type), include)} }`;
    const context = { variableValues: { id }, contextValue: { input, loaders, response } };
    const result = await execute({ schema, document: parse(query), ...context });
    const failed = (result.errors ?? []).map((error) => {
      const path = error.path?.filter((step) => typeof step === 'string').join('.');
      return `${path} is null, with the error ${mask(error, '').extensions.code}`;
    });
    const value = result.data?.[field] as Record<string, unknown> | null | undefined;
    const shown = [...drifted].map((name) => `${name} is ${shownAs(value?.[name.replace(/.*\./, '')])}`);
    const words = [...new Set([...failed, ...shown])].join('; ');
    const faults = [...drifted].map((name) => `${name} is missing or invalid`);
    faults.unshift(...new Set(failed));
    return { words: words || (value ? `${field} is the data` : `${field} is null`), faults };
  }

  const known = new Map<string, ReturnType<typeof replay>>();
  // The same responses are decoded once, which takes seconds for the largest.
  return (kind: Kind, id = '', include: readonly Relation[] = [], fields?: Fields) => {
    const name = JSON.stringify([kind, id, include, fields]);
    const replayed = known.get(name) ?? replay(kind, id, include, fields);
    known.set(name, replayed);
    return replayed;
  };
}

/** What stands in place of a value that violates the contract. */
function shownAs(value: unknown): string {
  const isList = Array.isArray(value);
  if (typeof value === 'number') return 'the nearest double, and counted as drift';
  return `${isList ? 'without its invalid elements' : value === 'UNRECOGNIZED' ? value : 'null'}, and counted as drift`;
}

/** All fields of a type, and of those below it, that need no REST call but the one with these relations. */
function selectionOf(type?: GraphQLNamedType, include: readonly unknown[] = []): string {
  if (!isObjectType(type)) return '';
  const fields = Object.values(type.getFields()).filter(({ extensions }) => {
    const isLoaded = extensions.include === undefined || include.includes(extensions.include);
    return isLoaded && extensions.resourceInData === undefined;
  });
  return `{ ${fields.map((field) => field.name + selectionOf(getNamedType(field.type))).join(' ')} }`;
}
