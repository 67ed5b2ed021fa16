import { keyOf } from '../fixtures/ownership.ts';
import { createExplicitQuestion } from './explicit.ts';
import { graphqlQuestion } from './graphql.ts';
import { restQuestion } from './rest.ts';
import type { Ask, Workload, WorkloadId } from './workloads.ts';

/** A request and the JSON that has to come back. */
export interface Question {
  method: 'GET' | 'POST';
  path: string;
  body?: string;
  expected: object;
}

const dialects = {
  graphql: graphqlQuestion,
  openapi: createExplicitQuestion({
    site: 'getSite',
    conversation: 'getConversationContext',
    id: 'String',
    level: (label) => label.replaceAll(' ', '_'),
  }),
  tailcall: createExplicitQuestion({
    site: 'site',
    conversation: 'conversationContext',
    id: 'ID',
    level: (label) => label,
  }),
  rest: restQuestion,
} satisfies Record<string, (workload: WorkloadId, ask: Ask) => Question>;

/** How a contender is asked: in the schema that most share, in one of its own, or in REST. */
export type DialectId = keyof typeof dialects;

/** A question with what identifies the caller. */
export interface KeyedQuestion extends Question {
  key: string;
}

/** Everything that is asked in one workload, in the contender's language. */
export function questionsOf(workload: Workload, dialect: DialectId): KeyedQuestion[] {
  const known = new Map<string, KeyedQuestion>();
  return workload.asks.map((ask) => {
    const name = `${ask.partner} ${ask.sites}`;
    const question = known.get(name) ?? {
      ...dialects[dialect](workload.id, ask),
      key: keyOf(ask.partner),
    };
    known.set(name, question);
    return question;
  });
}
