import { expect } from 'vitest';
import { conversationContext } from '../../../reference/contract.ts';
import { demoConversations } from '../../../reference/data/demo-ids.ts';
import { contextTarget } from '../support/server.ts';
import { expectStatus, type Rules, read, withConversation, withDemo } from './rule.ts';

const UNKNOWN = '00000000-0000-4000-8000-000000000000';

export const conversationRules: Rules = {
  'CONVERSATION-GET-01 MUST GET /v1/conversation/{id}/context responds with 200 and a context (2.5, 4.3)':
    withConversation(async (api) => {
      const { body, headers } = await expectStatus(api, contextTarget(api.conversationId), 200);
      expect(headers['content-type']).toMatch(/^application\/json\b/);
      conversationContext.loose().parse(JSON.parse(body));
    }),
  'CONVERSATION-GET-02 MUST no field of a context is required': withDemo(async (api) => {
    expect(await read(api, contextTarget(demoConversations.withoutFields))).toEqual({});
  }),
  'CONVERSATION-GET-03 SHOULD query parameters of a context are ignored': withConversation(async (api) => {
    const target = contextTarget(api.conversationId);
    expect(await read(api, `${target}?include=sites`)).toEqual(await read(api, target));
  }),
  'CONVERSATION-ID-01 SHOULD a UUID is accepted in upper and lower case': withConversation(async (api) => {
    const upper = await read(api, contextTarget(api.conversationId.toUpperCase()));
    expect(upper).toEqual(await read(api, contextTarget(api.conversationId.toLowerCase())));
  }),
  'CONVERSATION-ID-02 MUST an id that is not a UUID is not accepted': async (api) => {
    for (const id of ['1', UNKNOWN.slice(1), `%7B${UNKNOWN}%7D`]) {
      expect([400, 404, 422]).toContain((await api.send(contextTarget(id))).status);
    }
  },
  'CONVERSATION-ID-03 SHOULD an id that is not a UUID is a 400': async (api) => {
    const ids = ['1', UNKNOWN.slice(1), `${UNKNOWN}0`, UNKNOWN.replaceAll('-', ''), '%00', "'%20or%201=1"];
    for (const id of [...ids, 'x'.repeat(10_240)]) await expectStatus(api, contextTarget(id), 400);
  },
  'CONVERSATION-ID-04 SHOULD an unknown conversation is a 404': async (api) => {
    await expectStatus(api, contextTarget(UNKNOWN), 404);
  },
};
