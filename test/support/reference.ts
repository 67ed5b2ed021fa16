import type { ReferenceOptions } from '../../reference/server.ts';
import { startFresh } from '../reference/support/server.ts';

/** The reference with its demo data, on a free port and a new database in memory, closed at the end of the test. */
export async function startReference(options: Partial<ReferenceOptions> = {}) {
  const paths: string[] = [];
  const { url } = await startFresh({
    onRequest: ({ path }) => paths.push(path),
    ...options,
  });
  return { url, paths };
}
