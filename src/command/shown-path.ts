import { stat } from 'node:fs/promises';

/** Returns an argument that has the form of a path; undefined for one that may be a misplaced API key. */
export async function shownPath(name: string): Promise<string | undefined> {
  const [start] = /^\/?[^/]+(?=\/)/.exec(name) ?? [];
  const isPath =
    /^[a-z_./*-]{1,64}$|\.(graphqls?|gqls?|json|[cm]?[jt]sx?|flow|vue|svelte|astro|log(\.\d{1,3})?(\.gz)?)$/i.test(
      name,
    ) ||
    (start !== undefined && (await stat(start).catch(() => undefined)) !== undefined);
  return isPath ? name : undefined;
}
