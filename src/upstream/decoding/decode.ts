import { UpstreamInvalidResponse } from '../errors.ts';
import {
  bareSite,
  type ConversationContext,
  conversationBody,
  type Relation,
  relationReaders,
  relations,
  type Site,
} from '../resources.ts';
import { type Drift, isObject } from './shape.ts';

/** Every field that may be reported to `drift`, each once. */
export const driftFields: readonly string[] = [
  ...new Set([
    ...(bareSite.fields ?? []),
    ...relations.flatMap((relation) => [`Site.${relation}`, ...(relationReaders[relation].fields ?? [])]),
    'ConversationContext',
    ...(conversationBody.fields ?? []),
  ]),
];

/**
 * A site from the JSON that the REST API sent for `id` (REST document, 2.1). Of the relations only those of `include`
 * are read: others may be incomplete.
 * @throws UpstreamInvalidResponse when it is no object, or another site than the one asked for
 */
export function siteFromJson(json: unknown, id: string, include: readonly Relation[], drift: Drift): Site {
  if (!isObject(json)) throw new UpstreamInvalidResponse('a site must be a JSON object');
  const { serviceLevel: label } = json;
  const site = bareSite(json, 'Site', drift) as Site;
  if (site.id !== id) throw new UpstreamInvalidResponse('it is another site than the one requested');
  site.serviceLevelLabel = typeof label === 'string' ? label : null;
  readRelation(json, 'clients', include, drift);
  readRelation(json, 'projects', include, drift);
  return site;
}

/** The absence of a requested relation is drift too. */
function readRelation(
  json: Record<string, unknown>,
  relation: Relation,
  include: readonly Relation[],
  drift: Drift,
): void {
  if (include.includes(relation)) {
    json[relation] = relationReaders[relation](json[relation] ?? null, `Site.${relation}`, drift);
  } else if (relation in json) delete json[relation];
}

/**
 * The context of the conversation `id` from the JSON that the REST API sent for it (REST document, 2.5).
 * @throws UpstreamInvalidResponse when it is no object
 */
export function conversationContextFromJson(json: unknown, id: string, drift: Drift): ConversationContext {
  const context = conversationBody(json, 'ConversationContext', drift);
  if (context === null) throw new UpstreamInvalidResponse('a conversation context must be a JSON object');
  return Object.assign(context, { id });
}
