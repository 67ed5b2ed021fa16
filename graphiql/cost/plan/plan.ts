import { pick, tryParseJSONC, useGraphiQL } from '@graphiql/react';
import { type GraphQLSchema, parse, validate } from 'graphql';
import { useEffect } from 'react';
import { useEditedTexts } from '../../editors.ts';
import { endpoint } from '../../options.ts';
import { apiKey, keyIn, withKey } from '../../request/api-key.ts';
import { fetchResponse } from '../../request/fetch-response.ts';
import { operationNameIn } from '../../request/operation-name.ts';
import { createStore, useStore } from '../../store.ts';
import { isExplained } from '../mode-switch.tsx';
import { createPlanner, noPlan, type Planned, type PlanRequest, type PlanState } from './planner.ts';

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
  const texts = useEditedTexts();
  const key = useStore(apiKey);
  const isOff = useStore(isExplained) === 'off';
  const tab = useGraphiQL(({ tabs, activeTabIndex }) => tabs[activeTabIndex]?.id);

  // biome-ignore lint/correctness/useExhaustiveDependencies: the plan belongs to the tab.
  useEffect(planner.reset, [tab]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: another key or tab is a reason to plan again.
  useEffect(() => {
    if (isOff) return planner.reset();
    if (!queryEditor) return;
    const update = () => planner.update(() => requestFrom(texts(), operationName, schema));
    update();
    const editors = [queryEditor, variableEditor, headerEditor];
    const listeners = editors.flatMap((editor) => editor?.onDidChangeModelContent(update) ?? []);
    return () => {
      for (const listener of listeners) listener.dispose();
    };
  }, [texts, operationName, schema, key, tab, isOff]);
}

/** Of a text that is not valid the editors say what is wrong. */
function requestFrom(
  { query, ...texts }: ReturnType<ReturnType<typeof useEditedTexts>>,
  operationName: string | undefined,
  schema: GraphQLSchema | null | undefined,
): Planned {
  try {
    const variables = tryParseJSONC(texts.variables);
    const headers = withKey((tryParseJSONC(texts.headers) ?? {}) as Record<string, string>);
    if (keyIn(headers) === undefined) return 'no key';
    if (schema && validate(schema, parse(query)).length > 0) return 'not valid';
    return { query, operationName: operationNameIn(query, operationName), variables, headers };
  } catch {
    return 'not valid';
  }
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
