import { stat } from 'node:fs/promises';

/**
 * Returns an argument as a message may show it; undefined where it may be a misplaced API key. A path has a
 * known ending, or a first folder.
 */
export async function shownPath(name: string): Promise<string | undefined> {
  const [start] = /^\/?[^/]+(?=\/)/.exec(name) ?? [];
  const isPath =
    /^[a-z_./*-]{1,64}$|\.(graphqls?|gqls?|json|[cm]?[jt]sx?|flow|vue|svelte|astro|log(\.\d{1,3})?(\.gz)?)$/i.test(
      name,
    ) ||
    (start !== undefined && (await stat(start).catch(() => undefined)) !== undefined);
  return isPath ? name : undefined;
}
