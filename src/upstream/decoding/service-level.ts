/** The exact strings of the REST document, 2.1.1; the one with the provider's own name is a pattern below. */
const listed = [
  ['Inactive', 'INACTIVE'],
  ['Non-Member', 'NON_MEMBER'],
  ['Warranty Essentials', 'WARRANTY_ESSENTIALS'],
  ['CPP Essentials Plus', 'CPP_ESSENTIALS_PLUS'],
  ['Essentials Plus', 'ESSENTIALS_PLUS'],
  ['CPP Priority', 'CPP_PRIORITY'],
  ['Priority', 'PRIORITY'],
  ['CPP Proactive', 'CPP_PROACTIVE'],
  ['Proactive', 'PROACTIVE'],
  ['CPP Signature', 'CPP_SIGNATURE'],
  ['Signature', 'SIGNATURE'],
  ['Secure', 'SECURE'],
  ['Legacy', 'LEGACY'],
] as const;

/** As GraphQL enum values. `UNRECOGNIZED` stands for every string that the section does not list. */
export type ServiceLevel = (typeof listed)[number][1] | 'INTERNAL' | 'UNRECOGNIZED';

const levels: ReadonlyMap<string, ServiceLevel> = new Map(listed);

/** The level for a string of the REST API; `UNRECOGNIZED` for an unknown one. */
export function serviceLevelFromLabel(label: string): ServiceLevel {
  return levels.get(label) ?? (/^\S.* - Internal$/.test(label) ? 'INTERNAL' : 'UNRECOGNIZED');
}
