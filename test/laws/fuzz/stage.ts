import { expect } from 'vitest';
import { startWatchfulUpstream } from '../../support/upstreams/strict.ts';
import { forkGateway } from './gateway.ts';
import { expectDiscreetAnswer, leaksOf, type SaidAnswer } from './rules.ts';

/** The event loop of the gateway stood still, for whichever of the requests that it had at the time. */
export class Stall extends Error {
  override readonly name = 'Stall';
}

export interface Stage {
  origin(): string;
  /** Has `ask` send what holds `key` as text `sent`, and checks what must hold whatever that is. */
  hold(key: string, sent: string, ask: () => Promise<SaidAnswer[]>): Promise<void>;
  /** Asks something harmless, and expects it to be answered as ever. */
  expectWell(): Promise<void>;
  close(): Promise<void>;
}

const KEPT_REQUESTS = 64;

const wellKey = 'well-0123456789-abcdef';
const wellDocument = '{ site(id: "SITE-1") { id city clients { name } } }';
const wellAnswer = {
  data: {
    site: {
      id: 'SITE-1',
      city: 'Åre',
      clients: [{ name: 'Client SITE-1-c1' }, { name: 'Client SITE-1-c2' }],
    },
  },
};

/** A gateway in front of a well behaved upstream; when it has ended, there is another one. */
export async function openStage(): Promise<Stage> {
  const known = new Set([wellKey]);
  const recent: string[] = [];
  // A request that is spoilt in the middle of its key has another one, and may be at work when its connection is not
  // there any more.
  const isSent = (key: string) => known.has(key) || recent.some((sent) => sent.includes(key));
  const upstream = await startWatchfulUpstream(isSent);
  let gateway = await forkGateway(upstream.url);

  const marks = async () => ({
    said: gateway.said(),
    stalls: await gateway.stalls(),
    trespasses: [...upstream.trespasses],
  });

  const stage: Stage = {
    origin: () => gateway.origin,
    async hold(key, sent, ask) {
      if (gateway.hasEnded()) {
        gateway = await forkGateway(upstream.url);
        await stage.expectWell();
      }
      known.add(key);
      recent.push(sent);
      if (recent.length > KEPT_REQUESTS) recent.shift();
      const before = await marks();
      const answers = await ask();
      const after = await marks();
      const stalls = after.stalls.slice(before.stalls.length);
      expect(leaksOf(key, after.said.slice(before.said.length) + gateway.takeNotes())).toEqual([]);
      expect(after.said, 'what the gateway writes').toBe(before.said);
      expect(after.trespasses, 'what the upstream was asked').toEqual(before.trespasses);
      for (const answer of answers) expectDiscreetAnswer(answer, key, upstream.url);
      if (stalls.length > 0) throw new Stall(`The event loop stood still for ${stalls.join(', ')} ms.`);
    },
    async expectWell() {
      const response = await fetch(`${gateway.origin}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-api-key': wellKey },
        body: JSON.stringify({ query: wellDocument }),
      });
      expect({ status: response.status, ...((await response.json()) as object) }).toEqual({
        status: 200,
        ...wellAnswer,
      });
    },
    close: () => gateway.stop(),
  };
  await stage.expectWell();
  return stage;
}
