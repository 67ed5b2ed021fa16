import { type DocumentNode, Kind as NodeKind } from 'graphql';
import { type Exchange, mapExchange } from 'urql';
import type { Problem } from './problems.ts';
import type { UpstreamCall } from './report.ts';
import { recall, remember } from './session-memory.ts';

/** What has a scope of its own, by the path of its REST call. */
const kinds = { sites: /^\/v1\/site\//, conversations: /^\/v1\/conversation\// } as const;
type Kind = keyof typeof kinds;

const KEY = 'opened';
const names = Object.keys(kinds) as Kind[];

/** What the key has opened in this session. */
let opened: ReadonlySet<Kind> = new Set(names.filter((kind) => recall(KEY)?.split(' ').includes(kind)));

/** Learns from REST calls. An object that does not exist (404) is opened too. */
function noteCalls(calls: readonly Pick<UpstreamCall, 'path' | 'status'>[]): void {
  const isOpened = (kind: Kind) =>
    calls.some(({ path, status }) => kinds[kind].test(path) && (status === 200 || status === 404));
  for (const kind of names) if (isOpened(kind)) noteOpened(kind);
}

/** Learns from data, also where a report is still to come or, as in live views, there is none. */
export function noteData({ site, sites, conversationContext }: PageData): void {
  const concerned = conversationContext?.sites ?? [];
  if (site || sites?.some(Boolean) || concerned.some((concerned) => concerned?.site)) noteOpened('sites');
  if (conversationContext) noteOpened('conversations');
}

/** What pages read. */
interface PageData {
  site?: unknown;
  sites?: readonly unknown[] | null;
  conversationContext?: { sites?: readonly ({ site?: unknown } | null)[] | null } | null;
}

function noteOpened(kind: Kind): void {
  if (!opened.has(kind)) set([...opened, kind]);
}

/** Learns from the reports of operations, and forgets at the end of the session: the next one may have another key. */
export const accessExchange: Exchange = mapExchange({
  onResult: ({ data, extensions, error }) => {
    if (data) noteData(data);
    noteCalls(extensions?.upstream?.calls ?? []);
    if (error?.graphQLErrors.some(({ extensions: { code } }) => code === 'UNAUTHENTICATED')) set([]);
  },
});

/** Says of a key that the REST API rejects whether it lacks a scope or is unknown, as far as this session shows. */
export function explainRejection(problem: Problem, document: DocumentNode): Problem {
  if (problem.code !== 'FORBIDDEN') return problem;
  const path = problem.path[0] === 'live' ? problem.path.slice(1) : problem.path;
  // The first field is all that a page reads.
  return { ...problem, ...rejectionText(opened, kindOf(path, document), path.length > 1) };
}

/** The words for a rejected key; `isPart`: it has opened the rest of the operation. */
function rejectionText(
  opened: ReadonlySet<Kind>,
  kind: Kind,
  isPart: boolean,
): Partial<Pick<Problem, 'title' | 'advice'>> {
  const others = [...opened].filter((other) => other !== kind);
  if (opened.has(kind)) {
    return isPart
      ? { advice: 'The API key of this dashboard may not read this.' }
      : {
          advice: `The API key of this dashboard has opened other ${kind}: it may be revoked since, or may not read this one.`,
        };
  }
  if (others.length > 0) {
    return {
      title: 'A scope is missing',
      advice: `The API key of this dashboard opens ${others.join(' and ')}, but not ${kind}: ask for the scope of ${kind}.`,
    };
  }
  return {
    advice: `The API key of this dashboard has opened nothing yet: it may be unknown, revoked or of another environment. It may also lack the scope of ${kind}.`,
  };
}

/** What the field of a path reads or, where the whole operation is rejected, its first field. */
function kindOf(path: Problem['path'], document: DocumentNode): Kind {
  const isSite = path.length > 0 ? path.includes('site') || path[0] === 'sites' : readsSites(document);
  return isSite ? 'sites' : 'conversations';
}

/** The fragments of a generated document may come before its operation. */
function readsSites({ definitions }: DocumentNode): boolean {
  const fields = definitions.flatMap((definition) =>
    definition.kind === NodeKind.OPERATION_DEFINITION ? definition.selectionSet.selections : [],
  );
  return fields.some(
    (field) => field.kind === NodeKind.FIELD && ['site', 'sites'].includes(field.name.value),
  );
}

function set(kinds: readonly Kind[]): void {
  opened = new Set(kinds);
  remember(KEY, kinds.length > 0 ? kinds.join(' ') : undefined);
}
