import { keyOf } from '../fixtures/ownership.ts';
import type { LoadRequest, Traffic } from '../load/send.ts';
import { createValidator } from '../load/validator.ts';
import { createExplicitIncludeRequest } from './explicit-include.ts';
import { restRequest } from './rest.ts';
import { sharedSchemaRequest } from './shared-schema.ts';
import type { Lookup, Workload, WorkloadId } from './workloads.ts';

/** A request without its key, and the JSON of the right response. */
export type Operation = Omit<LoadRequest, 'key'> & { expected: object };

export type BenchRequest = Operation & { key: string };

const formats = {
  'shared-schema': sharedSchemaRequest,
  openapi: createExplicitIncludeRequest({
    site: 'getSite',
    conversation: 'getConversationContext',
    id: 'String',
    level: (label) => label.replaceAll(' ', '_'),
  }),
  tailcall: createExplicitIncludeRequest({
    site: 'site',
    conversation: 'conversationContext',
    id: 'ID',
    level: (label) => label,
  }),
  rest: restRequest,
} satisfies Record<string, (workload: WorkloadId, lookup: Lookup) => Operation>;

/** How requests to a contender are written: for the schema that most share, for its own schema, or as REST calls. */
export type RequestFormat = keyof typeof formats;

/** The requests of a workload one after the other, with the validation of their responses. */
export function createTraffic(workload: Workload, format: RequestFormat): Traffic<BenchRequest> {
  const requests = requestsOf(workload, format);
  const [first] = requests;
  if (!first) throw new Error(`${workload.short} has no requests`);
  let sent = 0;
  return {
    next() {
      const request = requests[sent % requests.length] ?? first;
      sent += 1;
      return workload.isUnseen ? renamed(request, sent) : request;
    },
    onResponse: createValidator(),
  };
}

/** The same request with another operation name, and so with a document text of its own. */
function renamed(request: BenchRequest, nth: number): BenchRequest {
  return { ...request, body: (request.body ?? '').replaceAll('Clients', `Clients${nth}`) };
}

function requestsOf({ id, lookups }: Workload, format: RequestFormat): BenchRequest[] {
  const known = new Map<string, BenchRequest>();
  return lookups.map((lookup) => {
    const name = `${lookup.partner} ${lookup.sites}`;
    const request = known.get(name) ?? { ...formats[format](id, lookup), key: keyOf(lookup.partner) };
    known.set(name, request);
    return request;
  });
}
