import type { ReportedCall } from '../types.ts';

/** What has a scope of its own, by the path of its REST call. */
const kinds = { sites: /^\/v1\/site\//, conversations: /^\/v1\/conversation\// } as const;
type Kind = keyof typeof kinds;

/** What the REST API has opened to a key, and what it denies to it at last. */
export interface Access {
  opened: ReadonlySet<Kind>;
  rejected: ReadonlySet<Kind>;
}

export const unknownAccess: Access = { opened: new Set(), rejected: new Set() };

type Outcome = Pick<ReportedCall, 'path' | 'status'>;

/** Adds the calls of one operation. An object that does not exist (404) is opened too. */
export function addToAccess(access: Access, calls: readonly Outcome[]): Access {
  const opened = new Set(access.opened);
  const rejected = new Set(access.rejected);
  for (const kind of Object.keys(kinds) as Kind[]) {
    const statuses = calls.filter(({ path }) => kinds[kind].test(path)).map(({ status }) => status);
    if (statuses.some((status) => status === 200 || status === 404)) {
      opened.add(kind);
      rejected.delete(kind);
    } else if (statuses.some((status) => status === 401 || status === 403)) rejected.add(kind);
  }
  return { opened, rejected };
}

/** What is open, as far as the latest calls show. */
export function openKinds({ opened, rejected }: Access): Kind[] {
  return [...opened].filter((kind) => !rejected.has(kind));
}

/** What a rejection says about the key, and what to do; undefined where nothing is rejected. */
export function accessText({ opened, rejected }: Access): string | undefined {
  if (rejected.size === 0) return undefined;
  const open = openKinds({ opened, rejected });
  const [missing] = rejected;
  if (open.length > 0) return `This key opens ${open}, but not ${missing}: ask for the scope of ${missing}.`;
  if (opened.size > 0)
    return `This key has opened ${[...opened].join(' and ')}, but does not any more: it may be revoked.`;
  const nothing =
    'This key has opened nothing in this tab: it may be unknown, revoked or of another environment.';
  return rejected.size > 1 ? nothing : `${nothing} It may also lack the scope of ${missing}.`;
}
