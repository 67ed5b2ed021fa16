import type { IncomingMessage, ServerResponse } from 'node:http';
import { relations } from '../contract.ts';
import { conversations, healthDocument, type Json, mistakenSite, sites } from '../documents.ts';
import { sendJson, siteFromPath, startUpstream } from '../upstream.ts';

/** The REST API over the documents, until the end of the test; `respond` may respond in its place. */
export function startDocuments(
  respond: (req: IncomingMessage, res: ServerResponse) => boolean = () => false,
) {
  return startUpstream((req, res) => {
    if (respond(req, res)) return;
    const path = req.url ?? '';
    if (path === '/v1/health') return sendJson(res, healthDocument);
    if (path.startsWith('/v1/site/')) return sendSite(res, siteFromPath(path));
    const id = path.match(/^\/v1\/conversation\/([^/?]+)\/context$/)?.[1];
    return send(res, conversations.get(id ?? ''));
  });
}

/** A relation that is not requested is an empty list: who reads it has a wrong response. */
function sendSite(res: ServerResponse, { id, include }: ReturnType<typeof siteFromPath>) {
  const site = sites.get(id === mistakenSite ? 'SITE-1' : id);
  const unrequested = relations.filter((relation) => !include.includes(relation));
  return send(res, site && { ...site, ...Object.fromEntries(unrequested.map((relation) => [relation, []])) });
}

function send(res: ServerResponse, document: Json | undefined) {
  return document ? sendJson(res, document) : sendJson(res, { message: 'Not found' }, 404);
}
