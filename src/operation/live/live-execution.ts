import { execute, type GraphQLError, type GraphQLSchema } from 'graphql';
import type { ErrorMask } from '../../errors.ts';
import type { Input } from '../../input.ts';
import type { Loaders } from '../../loaders.ts';
import type { Context } from '../../schema/builder.ts';
import { ResponseBudget, type ResponseLimits } from '../../schema/response-budget.ts';
import type { PollReader } from '../../upstream/polls/poll-reader.ts';
import type { Compiler } from '../execution/compiler.ts';
import { inOrder } from '../execution/execute.ts';
import { createBound } from '../response/bounds.ts';
import { withoutMarks } from '../response/error-locations.ts';
import { refusalErrorOf } from '../response/refused-operation.ts';
import type { LiveOperation } from './live-operation.ts';

/** One result of a live operation, which all its streams get. */
export interface LiveEvent {
  /** The whole result, as JSON. */
  readonly text: string;
  /** The codes of its errors. */
  readonly codes: readonly string[];
  readonly hasData: boolean;
}

export interface LiveResult {
  event: LiveEvent;
  /** Why the request of this result would be refused as a whole, where it would. */
  refusal: GraphQLError | undefined;
}

/**
 * Executes a live operation once, on what the reader loads. Calls `onResult` once, at once or later. `hadErrors`: its latest
 * result had errors, which a compiled operation cannot report.
 */
export type ExecuteLive = (
  operation: LiveOperation,
  reader: PollReader,
  hadErrors: boolean,
  onResult: (result: LiveResult) => void,
) => void;

export interface LiveExecutionOptions {
  schema: GraphQLSchema;
  input: Input;
  compiler: Compiler;
  mask: ErrorMask;
  responseLimits: ResponseLimits;
  maxBytes: number;
}

/** By the compiled operation where there is one and it meets no error, else by graphql-js, with the rules for queries. */
export function createExecuteLive(options: LiveExecutionOptions): ExecuteLive {
  const { input, compiler, mask, responseLimits, maxBytes } = options;

  return (operation, reader, hadErrors, onResult) => {
    const { document } = operation.query;
    const contextOf = (): Context => ({
      loaders: loadersOf(reader),
      input,
      response: new ResponseBudget(responseLimits),
    });
    const executeFully = () => {
      compiler.record(document, null, operation.variables);
      void resultOf(options, operation, reader, contextOf())
        .catch((fault: unknown) => {
          const error = mask(fault, 'Unexpected error.');
          return { event: eventOfError(error), refusal: error };
        })
        .then(onResult);
    };
    const compiled = hadErrors ? undefined : compiler.find(document, null, operation.variables);
    if (!compiled) return executeFully();
    const context = contextOf();
    compiled.execute(context, compiled.variables, maxBytes, (text) => {
      if (text === undefined || context.response.isExceeded) executeFully();
      else onResult({ event: eventOf(wrapped(text, operation), reader, noCodes, true), refusal: undefined });
    });
  };
}

const noCodes: readonly string[] = [];

async function resultOf(
  { schema, mask, maxBytes }: LiveExecutionOptions,
  { query, responseName, variables }: LiveOperation,
  reader: PollReader,
  context: Context,
): Promise<LiveResult> {
  const { document } = query;
  const result = inOrder(
    await execute({ schema, document, variableValues: variables, contextValue: context }),
  );
  const errors = result.errors?.map((error) => mask(error, 'Unexpected error.'));
  const { result: bounded, error } = createBound(
    context.response,
    maxBytes,
  )({
    ...result,
    ...(errors && { errors }),
  });
  const sent = bounded ?? { errors: [error as GraphQLError] };
  const { data, extensions } = sent;
  const text = JSON.stringify({
    ...(sent.errors && { errors: sent.errors.map((one) => below(responseName, one)) }),
    ...(data !== undefined && { data: data && { [responseName]: data } }),
    ...(extensions && { extensions }),
  });
  const codes = (sent.errors ?? []).map(({ extensions: { code } }) => String(code));
  // Data that was polled before is shown, whatever the latest call met: the compiled operation returns it too.
  const refusal = error ?? (reader.hasData ? undefined : refusalErrorOf(reader));
  return { event: eventOf(text, reader, codes, data != null), refusal };
}

/** The event in place of a result, with one error and no data. */
export function eventOfError(error: GraphQLError): LiveEvent {
  const text = JSON.stringify({ errors: [withoutMarks(error)] });
  return { text, codes: [String(error.extensions.code)], hasData: false };
}

/** The error as a subscription reports it: with a path that begins with `live`. */
function below(responseName: string, error: GraphQLError): object {
  const json = withoutMarks(error).toJSON();
  return json.path ? { ...json, path: [responseName, ...json.path] } : json;
}

const START = '{"data":';

/** The text of a query's response, `{"data":…}`, as that of the subscription. */
function wrapped(text: string, { responseName }: LiveOperation): string {
  return `${START}{${JSON.stringify(responseName)}:${text.slice(START.length, -1)}}}`;
}

/** With the list of stale data, if there is any. */
function eventOf(text: string, { stale }: PollReader, codes: readonly string[], hasData: boolean): LiveEvent {
  if (stale.length === 0) return { text, codes, hasData };
  const { extensions, ...rest } = JSON.parse(text) as { extensions?: object };
  return { text: JSON.stringify({ ...rest, extensions: { ...extensions, stale } }), codes, hasData };
}

/** The loaders of an execution: what they load is polled from then on. */
function loadersOf(reader: PollReader): Loaders {
  return {
    site: (id, include) => reader.site(id, include),
    conversationContext: (id) => reader.conversationContext(id),
    health: () => Promise.reject(new Error('live queries read no health')),
    get calls() {
      return reader.calls;
    },
    budget: { used: 0, limit: 0 },
    loadCount: 0,
    mergesTick: true,
    record: () => undefined,
  };
}
