import { FAILED, fail, MISUSED, messageFromError } from './command-line.ts';
import { readReferenceConfig } from './config.ts';
import { openDatabase } from './database.ts';
import { linesFromIssued, linesFromKey, recordFromKey, tableFromKeys } from './ledger.ts';
import { type Order, orderFromArgs, usage } from './orders.ts';
import { createSupport, type IssuedKey, type Support } from './support.ts';

/** The support desk (section 5, points 8 to 10). Ends with 2 for an order that is none, with 1 for one that failed. */
const now = new Date();
const order = orderFromArgs(process.argv.slice(2), now);
const config = readReferenceConfig();
if ('faults' in order) fail(MISUSED, ...order.faults, 'npm run keys -- --help shows how');
else if (order.verb === 'help') console.log(usage);
else if ('faults' in config) fail(FAILED, ...config.faults);
else if (config.options.publicUrl === null && (order.verb === 'issue' || order.verb === 'rotate')) {
  fail(FAILED, 'REFERENCE_PUBLIC_URL must be set where REFERENCE_PORT is 0: the link would lead nowhere');
} else {
  const { databaseUrl, publicUrl } = config.options;
  try {
    const db = await openDatabase(databaseUrl);
    try {
      console.log(await answer(createSupport(db), order, publicUrl));
    } finally {
      await db.destroy();
    }
  } catch (error) {
    fail(FAILED, messageFromError(error));
  }
}

async function answer(support: Support, order: Exclude<Order, { verb: 'help' }>, publicUrl: string | null) {
  const linesOf = (issued: IssuedKey) => linesFromIssued(issued, `${publicUrl}/link/${issued.token}`);
  switch (order.verb) {
    case 'issue': {
      const { partner, expires, 'link-hours': linkHours, ...rest } = order;
      return linesOf(await support.issue({ ...rest, partnerId: partner, expiresAt: expires, linkHours }));
    }
    case 'rotate': {
      const { NAME, expires, 'link-hours': linkHours } = order;
      const issued = await support.rotate(NAME, { expiresAt: expires, linkHours });
      return `${linesOf(issued)}\n\nKey ${NAME}… lives on until it is revoked.`;
    }
    case 'revoke':
      return `Key ${order.NAME}… is revoked since ${await support.revoke(order.NAME)}.`;
    case 'list': {
      const keys = await support.list(order.partner);
      return order.json ? toJson(keys.map((key) => recordFromKey(key, now))) : tableFromKeys(keys, now);
    }
    case 'show': {
      const { key, links } = await support.show(order.NAME);
      return order.json ? toJson(recordFromKey(key, now)) : linesFromKey(key, links, now);
    }
  }
}

function toJson(value: unknown): string {
  return JSON.stringify(value, null, 2);
}
