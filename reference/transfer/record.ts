import * as z from 'zod';
import { client, conversationContext, partnerId, project, site } from '../contract.ts';
import type { Tables } from '../database/tables.ts';
import { isConversationId, isSiteId } from '../ids.ts';

/** The row of one NDJSON line. */
export type Record =
  | { table: 'sites'; row: Tables['sites'] }
  | { table: 'conversations'; row: Tables['conversations'] };

export interface Fault {
  /** The faults of the line, field by field, without its values. */
  fault: string;
}

const FAULT_MAX_LENGTH = 500;

/** Creates a parser of lines. Site ids must have this prefix. */
export function createRecordReader(siteIdPrefix: string): (text: string) => Record | Fault {
  const schema = schemaFor(siteIdPrefix);
  return (text) => {
    const value = valueFrom(text);
    if (value === undefined) return { fault: 'not JSON' };
    const { success, error } = schema.safeParse(value);
    // The value itself rather than zod's copy, so that its fields keep their order.
    return success ? recordFrom(value as z.infer<typeof schema>) : { fault: faultFrom(error.issues) };
  };
}

export function lineFromSite({ partner_id, site, clients, projects }: Tables['sites']): string {
  const head = `{"partner":${JSON.stringify(partner_id)},"kind":"site"`;
  return `${head},"site":${site},"clients":${clients},"projects":${projects}}\n`;
}

export function lineFromConversation({ partner_id, id, context }: Tables['conversations']): string {
  const head = `{"partner":${JSON.stringify(partner_id)},"kind":"conversation"`;
  return `${head},"id":${JSON.stringify(id)},"context":${context}}\n`;
}

function schemaFor(siteIdPrefix: string) {
  const id = z.string().refine((text) => isSiteId(text, siteIdPrefix), {
    error: `must be ${siteIdPrefix}-…, at most 200 characters and no control characters`,
  });
  return z.discriminatedUnion('kind', [
    z.strictObject({
      partner: partnerId,
      kind: z.literal('site'),
      site: site.extend({ id }),
      clients: z.array(client).exactOptional(),
      projects: z.array(project).exactOptional(),
    }),
    z.strictObject({
      partner: partnerId,
      kind: z.literal('conversation'),
      id: z.string().refine(isConversationId, { error: 'must be a UUID' }),
      context: conversationContext,
    }),
  ]);
}

function valueFrom(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function recordFrom(value: z.infer<ReturnType<typeof schemaFor>>): Record {
  const partner_id = value.partner;
  if (value.kind === 'conversation') {
    const row = { partner_id, id: value.id.toLowerCase(), context: JSON.stringify(value.context) };
    return { table: 'conversations', row };
  }
  const { site, clients = [], projects = [] } = value;
  const texts = {
    site: JSON.stringify(site),
    clients: JSON.stringify(clients),
    projects: JSON.stringify(projects),
  };
  return { table: 'sites', row: { partner_id, id: site.id, ...texts } };
}

/** `site.zip: …; site.colour: …`, in one line that is safe to print. */
function faultFrom(issues: readonly z.core.$ZodIssue[]): string {
  const faults = issues.map(({ path, message }) => (path.length > 0 ? `${path.join('.')}: ` : '') + message);
  return faults
    .join('; ')
    .replace(/\p{Cc}/gu, '?')
    .slice(0, FAULT_MAX_LENGTH);
}
