import { execute, type GraphQLError } from 'graphql';
import type { PipelineCore } from '../../composition.ts';
import { inOrder } from '../../operation/execute.ts';
import { codesOf } from '../../operation/observation.ts';
import { rejectionErrorOf } from '../../operation/rejection.ts';
import { createBound, resultOf } from '../../operation/response-bounds.ts';
import { withoutMarks } from '../../operation/results.ts';
import type { Notices } from '../../rest/notices.ts';
import type { Context } from '../../schema/builder.ts';
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
  /** The error of a query that is rejected as a whole. */
  readonly rejection?: GraphQLError | undefined;
}

/** The text of an event as it is sent: with its extensions, and the quota. */
export function responseText({ text, extensions, notices }: LiveEvent): string {
  const all = { ...extensions, ...(notices?.quota && { quota: notices.quota }) };
  return Object.keys(all).length > 0 ? `${text.slice(0, -1)},"extensions":${JSON.stringify(all)}}` : text;
}

/** Executes a live operation once, on what the reader loads. Never rejects. */
export type ExecuteLive = (operation: LiveOperation, reader: PollReader) => Promise<LiveEvent>;

interface LiveExecutionOptions
  extends Pick<PipelineCore, 'input' | 'mask' | 'maxResponseBytes' | 'maxValues' | 'maxErrors'> {
  compiler: Compiler;
}

/** Uses the compiled operation if there is one and no error, else graphql-js with the rules for queries. */
export function createExecuteLive(options: LiveExecutionOptions): ExecuteLive {
  const { input, compiler, mask, maxResponseBytes } = options;

  return async (operation, reader) => {
    const contextOf = (): Context => ({ loaders: reader, input, response: new ResponseBudget(options) });
    const compiled = compiler.find(operation.query.document, null, operation.variables, true);
    if (compiled) {
      const context = contextOf();
      const text = await new Promise<string | undefined>((resolve) =>
        compiled.execute(context, compiled.variables, maxResponseBytes, resolve),
      );
      const isComplete = text !== undefined && !context.response.isExceeded;
      compiled.onExecuted(isComplete);
      if (isComplete)
        return eventOf(reader, { text: wrapped(text, operation), extensions: {}, codes: [], hasData: true });
    }
    try {
      return await executeFully(operation, reader, contextOf(), options);
    } catch (fault) {
      return eventOfError(mask(fault, 'Unexpected error.'));
    }
  };
}

async function executeFully(
  { query: { schema, document }, responseName, variables }: LiveOperation,
  reader: PollReader,
  context: Context,
  { mask, maxResponseBytes }: LiveExecutionOptions,
): Promise<LiveEvent> {
  const result = inOrder(
    await execute({ schema, document, variableValues: variables, contextValue: context }),
  );
  const errors = result.errors?.map((error) => mask(error, 'Unexpected error.'));
  const bounded = createBound(context.response, maxResponseBytes)({ ...result, ...(errors && { errors }) });
  const sent = resultOf(bounded);
  const { data, extensions = {} } = sent;
  const text = JSON.stringify({
    ...(sent.errors && { errors: sent.errors.map((one) => below(responseName, one)) }),
    ...(data !== undefined && { data: data && { [responseName]: data } }),
  });
  return eventOf(reader, {
    text,
    extensions,
    codes: codesOf(sent),
    hasData: data != null,
    rejection: bounded.error ?? rejectionErrorOf(reader.calls),
  });
}

/** The event in place of a result, with one error and no data. */
export function eventOfError(error: GraphQLError): LiveEvent {
  const text = JSON.stringify({ errors: [withoutMarks(error)] });
  const codes = codesOf({ errors: [error] });
  return { text, extensions: {}, codes, hasData: false, notices: null, rejection: error };
}

function eventOf(
  { stale, keyPolls: { notices } }: PollReader,
  result: Omit<LiveEvent, 'notices'>,
): LiveEvent {
  const extensions = { ...result.extensions, ...(stale.length > 0 && { stale }) };
  return { ...result, extensions, notices };
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
