import { unwatchFile, watchFile } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import {
  documentsFromManifest,
  type ManifestResult,
  type TrustedDocuments,
  type Validate,
} from './trusted-documents.ts';

interface TrustedFileOptions {
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
 * Reads the manifest of trusted documents, and again whenever it changes, until it is closed. Rejects with
 * the faults of the first reading; a later one that has any leaves everything as it was.
 *
 * The state of the file is polled, and no events are watched: the path may lead to another file each time,
 * renamed into its place or reached by a link that turned.
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
  const readAgain = async () => {
    const { faults: [fault, ...others] = [] } = await read();
    const more = others.length > 0 ? ` (and ${others.length} more)` : '';
    const outcome = fault ? `${fault}${more}; in force as before` : 'TRUSTED_DOCUMENTS read again; in force';
    log(`${outcome}: ${documents.current.size}`);
  };
  let reading: Promise<unknown> = Promise.resolve();
  const onChange = () => {
    reading = reading.then(readAgain);
  };
  // Before the first reading, so that a change during it is seen.
  watchFile(path, { interval: everyMs, persistent: false }, onChange);
  const close = async () => {
    unwatchFile(path, onChange);
    await reading;
  };
  const first = read();
  reading = first;
  const { faults } = await first;
  if (!faults) return { close };
  await close();
  throw new Error(bounded(faults).join('\n'));
}

/** The documents of the manifest, or all its faults. Changes nothing. */
export async function readTrustedFile(
  path: string,
  { current }: TrustedDocuments,
  validate: Validate,
): Promise<ManifestResult> {
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
    return faulty(`cannot be read: ${why}`);
  }
}

function bounded(faults: readonly string[]): string[] {
  const more = faults.length - MAX_FAULTS;
  return more > 0
    ? [...faults.slice(0, MAX_FAULTS), `TRUSTED_DOCUMENTS has ${more} more faults`]
    : [...faults];
}
