import { readFile, stat } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import {
  documentsFromManifest,
  type ManifestResult,
  type TrustedDocuments,
  type Validate,
} from './trusted-documents.ts';

export interface TrustedFileOptions {
  path: string;
  /** Holds what the file holds, as soon as that was read without a fault. */
  documents: TrustedDocuments;
  validate: Validate;
  log: (line: string) => void;
  everyMs?: number;
}

/** A document takes some sixty times its text once it is parsed. */
const MAX_BYTES = 16 * 1024 * 1024;
const MAX_FAULTS = 10;

/** Leaves a byte order mark out; throws where the bytes are not UTF-8. */
const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Reads the manifest of trusted documents, and again whenever it changes, until it is closed. Rejects with the faults of
 * the first reading; a later one that has any leaves everything as it was.
 *
 * It polls the file's state and watches no events: the path may lead to another file each time,
 * renamed into its place or reached by a link that turned. The state is taken before the reading, so that a change
 * during the reading is seen the next time.
 */
export async function startTrustedFile({
  path,
  documents,
  validate,
  log,
  everyMs = 1_000,
}: TrustedFileOptions): Promise<{ close(): Promise<void> }> {
  const read = async () => {
    const result = await readTrustedFile(path, documents, validate);
    if (result.documents) documents.current = result.documents;
    return result;
  };
  let state: string | undefined = await stateOf(path);
  let lastFault: string | undefined;
  const { faults } = await read();
  if (faults) throw new Error(bounded(faults).join('\n'));

  const check = async () => {
    const now = await stateOf(path);
    if (now === state) return;
    const { faults: [fault, ...others] = [], isUnread } = await read();
    // A file that could not be read may become readable without a change; the fault is logged once.
    state = isUnread ? undefined : now;
    if (isUnread && fault === lastFault) return;
    lastFault = fault;
    const more = others.length > 0 ? ` (and ${others.length} more)` : '';
    const outcome = fault ? `${fault}${more}; in force as before` : 'TRUSTED_DOCUMENTS read again; in force';
    log(`${outcome}: ${documents.current.size}`);
  };

  const closing = new AbortController();
  const isTime = () => delay(everyMs, true, { ref: false, signal: closing.signal }).catch(() => false);
  const poll = async () => {
    while (await isTime()) await check();
  };
  const polling = poll();
  return {
    close() {
      closing.abort();
      return polling;
    },
  };
}

/** The documents of the manifest, or all its faults; whether it could not be read at all. Changes nothing. */
export async function readTrustedFile(
  path: string,
  { current }: TrustedDocuments,
  validate: Validate,
): Promise<ManifestResult & { isUnread?: boolean }> {
  const faulty = (...faults: string[]) => ({ faults: faults.map((fault) => `TRUSTED_DOCUMENTS ${fault}`) });
  try {
    const file = await stat(path);
    // To read from a pipe or a device could take forever.
    if (!file.isFile()) return faulty('must be a file');
    if (file.size > MAX_BYTES) return faulty(`must be no larger than ${MAX_BYTES} bytes`);
    const bytes = await readFile(path);
    const result = await documentsFromManifest(utf8.decode(bytes), current, validate);
    return result.faults ? faulty(...result.faults) : result;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { ...faulty(`cannot be read: ${why}`), isUnread: true };
  }
}

/** A text that changes as soon as the file behind the path is another one, or was written to. */
async function stateOf(path: string): Promise<string> {
  try {
    const { dev, ino, size, mtimeNs, ctimeNs } = await stat(path, { bigint: true });
    return [dev, ino, size, mtimeNs, ctimeNs].join();
  } catch (error) {
    return String(error);
  }
}

function bounded(faults: readonly string[]): string[] {
  const more = faults.length - MAX_FAULTS;
  return more > 0
    ? [...faults.slice(0, MAX_FAULTS), `TRUSTED_DOCUMENTS has ${more} more faults`]
    : [...faults];
}
