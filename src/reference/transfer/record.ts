import { z } from 'zod';
import { client, conversationContext, partnerId, project, site } from '../contract.ts';
import { isConversationId, isSiteId } from '../paths.ts';
import type { Tables } from '../tables.ts';

/** What one line of NDJSON stands for. */
export type Record =
  | { table: 'sites'; row: Tables['sites'] }
  | { table: 'conversations'; row: Tables['conversations'] };

export interface Fault {
  /** What is wrong with the line, field by field; of its values, nothing. */
  fault: string;
}

const ISSUES_SHOWN = 3;

/** Reads lines whose sites have ids of this prefix. */
export function createRecordReader(siteIdPrefix: string): (text: string) => Record | Fault {
  const shape = shapeOf(siteIdPrefix);
  return (text) => {
    const value = valueFrom(text);
    if (value === undefined) return { fault: 'not JSON' };
    const { success, error } = shape.safeParse(value);
    // What fits the shape is kept as it stands, so that its fields keep their order.
    return success ? recordFrom(value as z.infer<typeof shape>) : { fault: faultFrom(error.issues) };
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

function shapeOf(siteIdPrefix: string) {
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

function recordFrom(value: z.infer<ReturnType<typeof shapeOf>>): Record {
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
  const shown = issues.slice(0, ISSUES_SHOWN).map(({ path, message }) => {
    const text = path.length > 0 ? `${path.join('.')}: ${message}` : message;
    return text.replace(/\p{Cc}/gu, '?').slice(0, 200);
  });
  const more = issues.length - shown.length;
  return [...shown, ...(more > 0 ? [`and ${more} more`] : [])].join('; ');
}
