import { describe, expect, it } from 'vitest';
import { demoConversations, demoKeys, demoSites } from '../../src/reference/data/demo-ids.ts';
import { createLinks } from '../../src/reference/keys/links.ts';
import { engines, openDatabase, readDump } from './support/database.ts';
import { issueLink } from './support/keys.ts';
import { outcomeOf, runNode } from './support/process.ts';
import { sendRequest, startFresh } from './support/server.ts';

for (const { name, isMissing, freshUrl } of engines) {
  describe.skipIf(isMissing)(`the contract, of an API that runs on ${name}`, { timeout: 60_000 }, () => {
    it('holds, and no key is in the database, the log or the report', async () => {
      const databaseUrl = await freshUrl();
      const log: unknown[] = [];
      const reference = await startFresh({
        databaseUrl,
        onRequest: (seen) => log.push(seen),
        onFault: (fault) => log.push(String(fault)),
      });
      const { token } = await issueLink(databaseUrl);
      const key = String(await createLinks(await openDatabase(databaseUrl)).open(token));
      const env = {
        NO_COLOR: '1',
        CONTRACT_URL: reference.url,
        CONTRACT_API_KEY: key,
        CONTRACT_SITE_ID: demoSites().main,
        CONTRACT_CONVERSATION_ID: demoConversations.main,
      };
      const suite = ['test/reference/contract', '-t', 'the API at CONTRACT_URL', '--reporter', 'default'];
      const { code, output, errors } = await outcomeOf(
        runNode(env, 'node_modules/vitest/vitest.mjs', 'run', ...suite),
      );
      expect(code, output + errors).toBe(0);
      expect(Number(/Tests +(\d+) passed/.exec(output)?.[1])).toBeGreaterThan(30);
      expect(output + errors).not.toContain('does not hold');
      for (const known of Object.values(demoKeys))
        await sendRequest(reference, '/v1/health', { 'x-api-key': known });

      const running = await readDump(databaseUrl);
      await reference.close();
      const places = {
        running,
        closed: await readDump(databaseUrl),
        log: JSON.stringify(log),
        output,
        errors,
      };
      for (const [place, text] of Object.entries(places)) {
        for (const secret of [key, key.slice(8), token, ...Object.values(demoKeys)]) {
          expect(text.includes(secret), place).toBe(false);
        }
      }
      // Proves that the search finds what is there.
      for (const known of [key, ...Object.values(demoKeys)]) expect(running).toContain(known.slice(0, 8));
    });
  });
}
