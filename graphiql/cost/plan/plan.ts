import { pick, tryParseJSONC, useGraphiQL } from '@graphiql/react';
import type { GraphQLSchema } from 'graphql';
import { useEffect } from 'react';
import { endpoint } from '../../options.ts';
import { apiKey, keyIn, withKey } from '../../request/api-key.ts';
import { fetchResponse } from '../../request/fetch-response.ts';
import { operationNameIn } from '../../request/operation-name.ts';
import { createStore, useStore } from '../../store.ts';
import { explainMode } from '../mode.ts';
import type { PlannedCall } from '../types.ts';
import {
  createPlanner,
  noPlan,
  type Obstacle,
  type PlanRequest,
  type PlanState,
  type Unplanned,
} from './planner.ts';
import { isEmpty, problemOf } from './validity.ts';

/** The time without an edit after which the plan is requested. */
const DELAY_MS = 250;

/** The plan of the operation in the editor. */
export const planState = createStore<PlanState>(noPlan);

const planner = createPlanner({ send: sendPlan, onState: planState.set, delayMs: DELAY_MS });

/** Plans the operation in the editors after each edit, unless the panel is off. */
export function usePlanner(): void {
  const { queryEditor, variableEditor, headerEditor, operationName, schema } = useGraphiQL(
    pick('queryEditor', 'variableEditor', 'headerEditor', 'operationName', 'schema'),
  );
  const key = useStore(apiKey);
  const isOff = useStore(explainMode) === 'off';
  const tab = useGraphiQL(({ tabs, activeTabIndex }) => tabs[activeTabIndex]?.id);

  // biome-ignore lint/correctness/useExhaustiveDependencies: the plan belongs to the tab.
  useEffect(planner.reset, [tab]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: another key or tab is a reason to plan again.
  useEffect(() => {
    if (isOff) return planner.reset();
    if (!queryEditor) return;
    const read = () =>
      readRequest(
        {
          query: queryEditor.getValue(),
          variables: variableEditor?.getValue(),
          headers: headerEditor?.getValue(),
        },
        operationNameIn(queryEditor.getValue(), operationName),
        schema,
      );
    const update = () => planner.update(read);
    update();
    const editors = [queryEditor, variableEditor, headerEditor];
    const listeners = editors.flatMap((editor) => editor?.onDidChangeModelContent(update) ?? []);
    return () => {
      for (const listener of listeners) listener.dispose();
    };
  }, [queryEditor, variableEditor, headerEditor, operationName, schema, key, tab, isOff]);
}

/** The calls that the operation in the editor makes, whatever the data says; none without a current plan. */
export function certainCalls(): PlannedCall[] {
  const { plan, obstacle, isPending } = planState.get();
  return obstacle || isPending ? [] : (plan?.calls.filter(({ forEach }) => !forEach) ?? []);
}

/** The texts of the editors. */
interface Texts {
  query: string;
  variables: string | undefined;
  headers: string | undefined;
}

function readRequest(
  { query, ...texts }: Texts,
  operationName: string | undefined,
  schema: GraphQLSchema | null | undefined,
): PlanRequest | Unplanned {
  const unplanned = (obstacle: Obstacle) => ({ query, obstacle });
  if (isEmpty(query)) return unplanned({ kind: 'empty' });
  let variables: Record<string, unknown> | undefined;
  let headers: Record<string, string>;
  try {
    variables = tryParseJSONC(texts.variables);
    headers = withKey((tryParseJSONC(texts.headers) ?? {}) as Record<string, string>);
  } catch (error) {
    const message = `The variables or headers: ${error instanceof Error ? error.message : error}`;
    return unplanned({ kind: 'invalid', message });
  }
  const message = problemOf(query, operationName, variables, schema);
  if (message !== undefined) return unplanned({ kind: 'invalid', message });
  if (keyIn(headers) === undefined) return unplanned({ kind: 'no-key' });
  return { query, operationName, variables, headers };
}

async function sendPlan({ headers, ...params }: PlanRequest, signal: AbortSignal) {
  const response = await fetchResponse(endpoint, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      // As the operation itself is sent: it decides whether `@defer` takes effect.
      accept: 'application/json, multipart/mixed',
      ...headers,
      'x-explain': 'plan',
    },
    body: JSON.stringify(params),
    signal,
  });
  return response.json();
}
