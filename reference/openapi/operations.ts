import { responseOf } from './responses.ts';

const problems = (entries: Record<number, string>) =>
  Object.fromEntries(
    Object.entries(entries).map(([status, name]) => [status, { $ref: `#/components/responses/${name}` }]),
  );

const atAnyAddress = {
  405: 'MethodNotAllowed',
  500: 'InternalServerError',
};
const behindKey = { ...atAnyAddress, 503: 'ServiceUnavailable', 403: 'Forbidden', 429: 'TooManyRequests' };
const ofObject = { ...behindKey, 400: 'BadRequest', 404: 'NotFound' };

const parameters = (...names: string[]) => names.map((name) => ({ $ref: `#/components/parameters/${name}` }));

/** The endpoints of section 4, each with GET and HEAD. */
export function createOperations(deprecated: boolean) {
  const health = {
    operationId: 'getHealth',
    summary: 'Check that the service is reachable',
    description: 'Any key, whatever its scopes.',
    responses: { 200: responseOf('The service is reachable', 'Health'), ...problems(behindKey) },
  };
  const site = {
    operationId: 'getSite',
    summary: 'Read the details of a site',
    description: 'Needs the scope `site:read`.',
    parameters: parameters('siteId', 'include'),
    responses: { 200: responseOf('The site', 'Site'), ...problems(ofObject) },
  };
  const context = {
    operationId: 'getConversationContext',
    summary: 'Read the context of a support conversation',
    description: 'Needs the scope `conversation:read`.',
    parameters: parameters('conversationId'),
    responses: { 200: responseOf('The context', 'ConversationContext'), ...problems(ofObject) },
  };
  const openapi = {
    operationId: 'getDescription',
    summary: 'Read this description',
    description: 'Needs no key: it contains no data of any partner.',
    security: [],
    responses: { 200: responseOf('This description', '', false), ...problems(atAnyAddress) },
  };
  const readable = <T extends { operationId: string }>(operation: T) => ({
    get: { ...operation, deprecated },
    head: { ...operation, operationId: operation.operationId.replace('get', 'head'), deprecated },
  });
  return {
    '/v1/health': readable(health),
    '/v1/site/{id}': readable(site),
    '/v1/conversation/{id}/context': readable(context),
    '/v1/openapi.json': readable(openapi),
  };
}
