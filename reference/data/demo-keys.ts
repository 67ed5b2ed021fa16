import { type KeyFacts, type Scope, scopes } from '../keys/keys.ts';
import { demoKeys } from './demo-ids.ts';
import { acme, globex, type Partner } from './partners.ts';

interface DemoKey {
  key: string;
  partner: Partner;
  description: string;
  scopes: readonly Scope[];
  facts?: Pick<KeyFacts, 'expires_at' | 'revoked_at' | 'rate_limit'>;
}

const past = '2024-02-01T00:00:00.000Z';

/** Two keys that work, and keys of Acme that fail, each in one way. */
export const demoKeyList: readonly DemoKey[] = [
  { key: demoKeys.acme, partner: acme, description: `Demo of ${acme.name}`, scopes },
  { key: demoKeys.globex, partner: globex, description: `Demo of ${globex.name}`, scopes },
  {
    key: demoKeys.siteOnly,
    partner: acme,
    description: 'Fails for conversations: has the scope site:read alone',
    scopes: ['site:read'],
  },
  {
    key: demoKeys.conversationOnly,
    partner: acme,
    description: 'Fails for sites: has the scope conversation:read alone',
    scopes: ['conversation:read'],
  },
  {
    key: demoKeys.expired,
    partner: acme,
    description: 'Fails always: has expired',
    scopes,
    facts: { expires_at: past },
  },
  {
    key: demoKeys.revoked,
    partner: acme,
    description: 'Fails always: is revoked',
    scopes,
    facts: { revoked_at: past },
  },
  {
    key: demoKeys.tinyLimit,
    partner: acme,
    description: 'Fails from the fourth request of a window on',
    scopes,
    facts: { rate_limit: 3 },
  },
];
