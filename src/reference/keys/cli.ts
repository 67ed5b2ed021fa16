import { FAILED, fail, MISUSED, messageFromError } from '../command-line.ts';
import { readReferenceConfig } from '../config.ts';
import { openDatabase } from '../database/database.ts';
import { createKeyAdmin, type IssuedKey, type KeyAdmin } from './admin.ts';
import { type KeyCommand, parseKeyCommand, usage } from './arguments.ts';
import { detailsFromKey, issuedMessage, recordFromKey, tableFromKeys } from './format.ts';

/** `npm run keys` (section 5, points 8 to 10). Exits with 2 for wrong arguments, with 1 for a command that failed. */
const now = new Date();
const command = parseKeyCommand(process.argv.slice(2), now);
const config = readReferenceConfig();
if ('faults' in command) fail(MISUSED, ...command.faults, 'npm run keys -- --help shows how');
else if (command.verb === 'help') console.log(usage);
else if ('faults' in config) fail(FAILED, ...config.faults);
else if (config.options.publicUrl === null && (command.verb === 'issue' || command.verb === 'rotate')) {
  fail(FAILED, 'REFERENCE_PUBLIC_URL must be set where REFERENCE_PORT is 0: the link would lead nowhere');
} else {
  const { databaseUrl, publicUrl } = config.options;
  try {
    const db = await openDatabase(databaseUrl);
    try {
      console.log(await run(createKeyAdmin(db), command, publicUrl));
    } finally {
      await db.destroy();
    }
  } catch (error) {
    fail(FAILED, messageFromError(error));
  }
}

async function run(
  admin: KeyAdmin,
  command: Exclude<KeyCommand, { verb: 'help' }>,
  publicUrl: string | null,
) {
  const messageFor = (issued: IssuedKey) => issuedMessage(issued, `${publicUrl}/link/${issued.token}`);
  switch (command.verb) {
    case 'issue': {
      const { partner, expires, 'link-hours': linkHours, ...rest } = command;
      return messageFor(await admin.issue({ ...rest, partnerId: partner, expiresAt: expires, linkHours }));
    }
    case 'rotate': {
      const { NAME, expires, 'link-hours': linkHours } = command;
      const issued = await admin.rotate(NAME, { expiresAt: expires, linkHours });
      return `${messageFor(issued)}\n\nKey ${NAME}… stays valid until it is revoked.`;
    }
    case 'revoke':
      return `Key ${command.NAME}… is revoked since ${await admin.revoke(command.NAME)}.`;
    case 'list': {
      const keys = await admin.list(command.partner);
      return command.json ? toJson(keys.map((key) => recordFromKey(key, now))) : tableFromKeys(keys, now);
    }
    case 'show': {
      const { key, links } = await admin.show(command.NAME);
      return command.json ? toJson(recordFromKey(key, now)) : detailsFromKey(key, links, now);
    }
  }
}

function toJson(value: unknown): string {
  return JSON.stringify(value, null, 2);
}
