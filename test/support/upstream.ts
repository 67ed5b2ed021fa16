import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** The id of a conversation. */
export const conversation = '5f0c2a9e-3b1d-4c5a-9e7f-8a6b4c2d1e00';

interface ReceivedRequest {
  /** The request target with its query, not decoded. */
  path: string;
  apiKey: string | undefined;
  headers: IncomingMessage['headers'];
}

export type Script = (req: IncomingMessage, res: ServerResponse) => unknown;

/** A server that runs the script for each request, and records them, until the end of the test. */
export async function startUpstream(script: Script, { host = '127.0.0.1', port: fixed = 0 } = {}) {
  const requests: ReceivedRequest[] = [];
  const server = createServer((req, res) => {
    const apiKey = req.headers['x-api-key'];
    requests.push({ path: req.url ?? '', apiKey: apiKey?.toString(), headers: req.headers });
    script(req, res);
  });
  await new Promise<void>((resolve) => server.listen(fixed, host, resolve));
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  );
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${host}:${port}`,
    requests,
    paths: () => requests.map(({ path }) => path),
    /** Settles when `count` requests have arrived. */
    async received(count: number) {
      while (requests.length < count) await once(server, 'request');
    },
    server,
  };
}

/** Settles when the connection of a response is closed. */
export async function closed(res: ServerResponse): Promise<void> {
  if (!res.destroyed) await once(res, 'close');
}

export function sendJson(
  res: ServerResponse,
  json: unknown,
  status = 200,
  headers: Record<string, string | string[]> = {},
) {
  res.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(json));
}

/** A site with only the required fields. */
export function bareSite(id: string) {
  return { id, address1: null, address2: null, city: null, state: null, zip: null };
}

/** Responds with the site that is requested, with nothing in its relations but what `more` has. */
export function sendSite(
  req: IncomingMessage,
  res: ServerResponse,
  more: object = {},
  status = 200,
  headers: Record<string, string | string[]> = {},
) {
  const { id, include } = siteFromPath(req.url ?? '');
  const relations = Object.fromEntries(include.map((relation) => [relation, []]));
  sendJson(res, { ...bareSite(id), ...relations, ...more }, status, headers);
}

/** The same, with the status that an id such as SITE-500 has in it. */
export const sendSiteOrStatus: Script = (req, res) =>
  sendSite(req, res, {}, Number(/^SITE-([45]\d\d)$/.exec(siteFromPath(req.url ?? '').id)?.[1] ?? 200));

/** An upstream with one city, which the test changes, as it does the status and the fields of the responses. */
export async function startCity(more: object = {}) {
  const state = { city: 'Bend', status: 200, headers: {} as Record<string, string> };
  const upstream = await startUpstream((req, res) =>
    sendSite(req, res, { city: state.city, ...more }, state.status, state.headers),
  );
  return { state, upstream };
}

/** An upstream that holds some responses until the test sends them: by default those with relations. */
export async function startHolding(isHeld = (path: string) => siteFromPath(path).include.length > 0) {
  const held: ServerResponse[] = [];
  const upstream = await startUpstream((req, res) => {
    if (isHeld(req.url ?? '')) held.push(res);
    else sendSite(req, res);
  });
  return { upstream, held };
}

/** The site id and the requested relations of a path. */
export function siteFromPath(path: string): { id: string; include: string[] } {
  const url = new URL(path, 'http://upstream.test');
  const include = url.searchParams.get('include');
  return {
    id: decodeURIComponent(url.pathname.slice(url.pathname.lastIndexOf('/') + 1)),
    include: include ? include.split(',') : [],
  };
}
