import { execute, type GraphQLError } from 'graphql';
import type { PipelineCore } from '../../composition.ts';
import { inOrder } from '../../operation/execute.ts';
import { codesOf } from '../../operation/observation.ts';
import { withoutMarks } from '../../operation/parts.ts';
import { rejectionErrorOf } from '../../operation/rejection.ts';
import { rejectingLoaders } from '../../operation/request.ts';
import { createBound, resultOf as sentResultOf } from '../../operation/response-bounds.ts';
import type { Notices } from '../../rest/notices.ts';
import type { Context } from '../../schema/builder.ts';
import type { Loaders } from '../../schema/loaders.ts';
import { ResponseBudget } from '../../schema/response-budget.ts';
import type { Compiler } from '../compiled/index.ts';
import type { LiveOperation } from './operation.ts';
import type { PollReader } from './poll-reader.ts';

/** One result of a live operation, which all its streams get. */
export interface LiveEvent {
  /** The whole result, as JSON, without its extensions. */
  readonly text: string;
  readonly extensions: object;
  /** The codes of its errors. */
  readonly codes: readonly string[];
  readonly hasData: boolean;
  /** Of the latest response to a poll of the key. Their change alone is no other result. */
  readonly notices: Notices | null;
}

/** The text of an event as it is sent: with its extensions, and the quota. */
export function textOf({ text, extensions, notices }: LiveEvent): string {
  const all = { ...extensions, ...(notices?.quota && { quota: notices.quota }) };
  return Object.keys(all).length > 0 ? `${text.slice(0, -1)},"extensions":${JSON.stringify(all)}}` : text;
}

/**
 * Executes a live operation once, on what the reader loads. Calls `onResult` once, at once or later, with
 * the error that rejects a query as a whole, if there is one.
 */
export type ExecuteLive = (
  operation: LiveOperation,
  reader: PollReader,
  onResult: (event: LiveEvent, rejection?: GraphQLError) => void,
) => void;

interface LiveExecutionOptions
  extends Pick<PipelineCore, 'input' | 'mask' | 'maxResponseBytes' | 'maxValues' | 'maxErrors'> {
  compiler: Compiler;
}

/** Uses the compiled operation if there is one and no error, else graphql-js with the rules for queries. */
export function createExecuteLive(options: LiveExecutionOptions): ExecuteLive {
  const { input, compiler, mask, maxResponseBytes } = options;

  return (operation, reader, onResult) => {
    const { document } = operation.query;
    const contextOf = (): Context => ({
      loaders: loadersOf(reader),
      input,
      response: new ResponseBudget(options),
    });
    const executeFully = () => {
      void resultOf(operation, reader, contextOf(), options)
        .catch((fault: unknown) => {
          const error = mask(fault, 'Unexpected error.');
          return { event: eventOfError(error), rejection: error };
        })
        .then(({ event, rejection }) => onResult(event, rejection));
    };
    const compiled = compiler.find(document, null, operation.variables, true);
    if (!compiled) return executeFully();
    const context = contextOf();
    compiled.execute(context, compiled.variables, maxResponseBytes, (text) => {
      const isComplete = text !== undefined && !context.response.isExceeded;
      compiled.onExecuted(isComplete);
      if (!isComplete) return executeFully();
      onResult(eventOf(wrapped(text, operation), {}, reader, { codes: noCodes, hasData: true }));
    });
  };
}

const noCodes: readonly string[] = [];

async function resultOf(
  { query: { schema, document }, responseName, variables }: LiveOperation,
  reader: PollReader,
  context: Context,
  { mask, maxResponseBytes }: LiveExecutionOptions,
) {
  const result = inOrder(
    await execute({ schema, document, variableValues: variables, contextValue: context }),
  );
  const errors = result.errors?.map((error) => mask(error, 'Unexpected error.'));
  const bounded = createBound(context.response, maxResponseBytes)({ ...result, ...(errors && { errors }) });
  const sent = sentResultOf(bounded);
  const { data, extensions = {} } = sent;
  const text = JSON.stringify({
    ...(sent.errors && { errors: sent.errors.map((one) => below(responseName, one)) }),
    ...(data !== undefined && { data: data && { [responseName]: data } }),
  });
  // Data that was polled before is shown, whatever the latest call met: the compiled operation returns it
  // too.
  const rejection = bounded.error ?? (reader.hasData ? undefined : rejectionErrorOf(reader.calls));
  const event = eventOf(text, extensions, reader, { codes: codesOf(sent), hasData: data != null });
  return { event, rejection };
}

/** The event in place of a result, with one error and no data. */
export function eventOfError(error: GraphQLError): LiveEvent {
  const text = JSON.stringify({ errors: [withoutMarks(error)] });
  const codes = codesOf({ errors: [error] });
  return { text, extensions: {}, codes, hasData: false, notices: null };
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

function eventOf(
  text: string,
  extensions: object,
  { stale, keyPolls: { notices } }: PollReader,
  outcome: Pick<LiveEvent, 'codes' | 'hasData'>,
): LiveEvent {
  return { text, extensions: { ...extensions, ...(stale.length > 0 && { stale }) }, notices, ...outcome };
}

/** The loaders of an execution: the resources that they load are polled from then on. */
function loadersOf(reader: PollReader): Loaders {
  return {
    ...rejectingLoaders,
    site: (id, include) => reader.site(id, include),
    conversationContext: (id) => reader.conversationContext(id),
  };
}
