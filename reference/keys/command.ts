import { FAILED, MISUSED, messageFromError } from '../command-line.ts';
import type { ReferenceConfig } from '../config.ts';
import { openDatabase } from '../database/database.ts';
import { createKeyAdmin, type IssuedKey, type KeyAdmin } from './admin.ts';
import { type KeyCommand, parseKeyCommand, usage } from './arguments.ts';
import { issuedMessage, recordFromKey } from './format.ts';

export type KeyCommandResult = { output: string } | { code: number; errors: string[] };

/** Runs a command of `npm run keys` (section 5, points 8 to 10). Never rejects. */
export async function runKeyCommand(args: string[], config: ReferenceConfig): Promise<KeyCommandResult> {
  const now = new Date();
  const command = parseKeyCommand(args, now);
  if ('faults' in command) {
    return { code: MISUSED, errors: [...command.faults, 'npm run keys -- --help shows how'] };
  }
  if (command.verb === 'help') return { output: usage };
  if ('faults' in config) return { code: FAILED, errors: config.faults };
  const { databaseUrl, publicUrl } = config.options;
  const hasLink = command.verb === 'rotate' || (command.verb === 'issue' && !command.show);
  if (publicUrl === null && hasLink) {
    const error = 'REFERENCE_PUBLIC_URL must be set where REFERENCE_PORT is 0: the link would lead nowhere';
    return { code: FAILED, errors: [error] };
  }
  try {
    const db = await openDatabase(databaseUrl);
    try {
      return { output: await outputOf(createKeyAdmin(db), command, publicUrl, now) };
    } finally {
      await db.destroy();
    }
  } catch (error) {
    return { code: FAILED, errors: [messageFromError(error)] };
  }
}

async function outputOf(
  admin: KeyAdmin,
  command: Exclude<KeyCommand, { verb: 'help' }>,
  publicUrl: string | null,
  now: Date,
): Promise<string> {
  const messageFor = (issued: IssuedKey) => issuedMessage(issued, `${publicUrl}/link/${issued.token}`);
  switch (command.verb) {
    case 'issue': {
      const { partner: partnerId, expires: expiresAt, show, ...rest } = command;
      const request = { ...rest, partnerId, expiresAt };
      return show ? admin.issueShown(request) : messageFor(await admin.issue(request));
    }
    case 'rotate': {
      const issued = await admin.rotate(command.NAME, command.expires);
      return `${messageFor(issued)}\n\nKey ${command.NAME}… stays valid until it is revoked.`;
    }
    case 'revoke':
      return `Key ${command.NAME}… is revoked since ${await admin.revoke(command.NAME)}.`;
    case 'list': {
      const keys = await admin.list(command.partner);
      return JSON.stringify(
        keys.map((key) => recordFromKey(key, now)),
        null,
        2,
      );
    }
  }
}
