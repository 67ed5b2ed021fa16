import { expect } from 'vitest';
import { demoConversations } from '../../../reference/data/demo-ids.ts';
import { contextTarget } from '../support/server.ts';
import { type Rules, read, withConversation, withDemo } from './rule.ts';

export const conversationRules: Rules = {
  'CONVERSATION-GET-02 MUST no field of a context is required': withDemo(async (api) => {
    expect(await read(api, contextTarget(demoConversations.withoutFields))).toEqual({});
  }),
  'CONVERSATION-GET-03 SHOULD query parameters of a context are ignored': withConversation(async (api) => {
    const target = contextTarget(api.conversationId);
    expect(await read(api, `${target}?include=sites`)).toEqual(await read(api, target));
  }),
};
