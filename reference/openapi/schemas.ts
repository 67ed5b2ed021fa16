import * as z from 'zod';
import * as contract from '../contract.ts';
import { SITE_ID_MAX_LENGTH } from '../ids.ts';

/** A JSON Schema, draft 2020-12, as in OpenAPI 3.1. */
export type Schema = z.core.JSONSchema.BaseSchema;

const health = z.strictObject({ status: z.literal('ok') });

const problem = z.strictObject({
  type: z.string().describe('The kind of problem: `urn:partner-api:problem:…`'),
  title: z.string().describe('The reason phrase of the status code'),
  status: z.int(),
  detail: z.string().describe('The same text for every problem of this kind'),
});

const names = z.registry<{ id: string }>();
names.add(contract.expandedSite, { id: 'Site' });
names.add(contract.serviceLevel, { id: 'ServiceLevel' });
names.add(contract.accountManager, { id: 'AccountManager' });
names.add(contract.client, { id: 'Client' });
names.add(contract.email, { id: 'Email' });
names.add(contract.phoneNumber, { id: 'PhoneNumber' });
names.add(contract.project, { id: 'Project' });
names.add(contract.conversationContext, { id: 'ConversationContext' });
names.add(contract.message, { id: 'Message' });
names.add(contract.attachment, { id: 'Attachment' });
names.add(contract.participants, { id: 'Participants' });
names.add(contract.participantClient, { id: 'ParticipantClient' });
names.add(contract.conversationSite, { id: 'ConversationSite' });
names.add(contract.associatedConversation, { id: 'AssociatedConversation' });
names.add(health, { id: 'Health' });
names.add(problem, { id: 'Problem' });

export function schemaRef(name: string): { $ref: string } {
  return { $ref: `#/components/schemas/${name}` };
}

/** The objects of section 2 and of the conventions. Open to further fields, which a later version may add. */
export function createSchemas(siteIdPrefix: string): Record<string, Schema> {
  const { schemas } = z.toJSONSchema(names, { uri: (name) => schemaRef(name).$ref, override: simplify });
  const described = new Map<string, Schema>(
    Object.entries(schemas).map(([name, { $schema, $id, ...schema }]) => [name, schema]),
  );
  const siteId: Schema = {
    type: 'string',
    pattern: `^${siteIdPrefix}-.*$`,
    maxLength: SITE_ID_MAX_LENGTH,
    description:
      'A fixed prefix word, a hyphen, then any text without control characters and line separators',
  };
  const site = described.get('Site');
  described.set('Site', { ...site, properties: { ...site?.properties, id: schemaRef('SiteId') } });
  return { SiteId: siteId, ...Object.fromEntries(described) };
}

/** Removes the pattern of a format, and the closing of objects. */
function simplify({ jsonSchema }: { jsonSchema: Schema }): void {
  if (jsonSchema.format !== undefined) delete jsonSchema.pattern;
  delete jsonSchema.additionalProperties;
}
