import { expect } from 'vitest';
import { demoConversations } from '../../../src/reference/data/demo-ids.ts';
import { context } from '../support/schemas.ts';
import { contextTarget } from '../support/server.ts';
import { expectStatus, type Rule, read } from './rule.ts';

const UNKNOWN = '00000000-0000-4000-8000-000000000000';

export const conversationRules: Rule[] = [
  {
    id: 'CONVERSATION-GET-01',
    level: 'MUST',
    title: 'GET /v1/conversation/{id}/context responds with 200 and a context (2.5, 4.3)',
    needs: 'conversation',
    async run(api) {
      const { body, headers } = await expectStatus(api, contextTarget(api.conversationId), 200);
      expect(headers['content-type']).toMatch(/^application\/json\b/);
      context.loose().parse(JSON.parse(body));
    },
  },
  {
    id: 'CONVERSATION-GET-02',
    level: 'MUST',
    title: 'no field of a context is required',
    needs: 'demo',
    async run(api) {
      expect(await read(api, contextTarget(demoConversations.withoutFields))).toEqual({});
    },
  },
  {
    id: 'CONVERSATION-GET-03',
    level: 'SHOULD',
    title: 'query parameters of a context are ignored',
    needs: 'conversation',
    async run(api) {
      const target = contextTarget(api.conversationId);
      expect(await read(api, `${target}?include=sites`)).toEqual(await read(api, target));
    },
  },
  {
    id: 'CONVERSATION-ID-01',
    level: 'SHOULD',
    title: 'a UUID is accepted in upper and lower case',
    needs: 'conversation',
    async run(api) {
      const upper = await read(api, contextTarget(api.conversationId.toUpperCase()));
      expect(upper).toEqual(await read(api, contextTarget(api.conversationId.toLowerCase())));
    },
  },
  {
    id: 'CONVERSATION-ID-02',
    level: 'MUST',
    title: 'an id that is not a UUID is not accepted',
    async run(api) {
      for (const id of ['1', UNKNOWN.slice(1), `%7B${UNKNOWN}%7D`]) {
        expect([400, 404, 422]).toContain((await api.send(contextTarget(id))).status);
      }
    },
  },
  {
    id: 'CONVERSATION-ID-03',
    level: 'SHOULD',
    title: 'an id that is not a UUID is a 400',
    async run(api) {
      const ids = ['1', UNKNOWN.slice(1), `${UNKNOWN}0`, UNKNOWN.replaceAll('-', ''), '%00', "'%20or%201=1"];
      for (const id of [...ids, 'x'.repeat(10_240)]) await expectStatus(api, contextTarget(id), 400);
    },
  },
  {
    id: 'CONVERSATION-ID-04',
    level: 'SHOULD',
    title: 'an unknown conversation is a 404',
    async run(api) {
      await expectStatus(api, contextTarget(UNKNOWN), 404);
    },
  },
];
