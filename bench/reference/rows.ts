import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** The id of the nth site. */
export const siteId = (n: number) => `SITE-bench-${n}`;

/** Writes a file for `import`, with this number of sites of the partner Acme, each with three clients and three projects. */
export function writeSites(path: string, count: number): Promise<void> {
  return pipeline(Readable.from(lines(count)), createWriteStream(path));
}

function* lines(count: number): Generator<string> {
  for (let n = 0; n < count; n += 1) {
    const three = Array.from({ length: 3 }, (_, m) => m);
    const row = {
      partner: 'acme',
      kind: 'site',
      site: site(n),
      clients: three.map((m) => client(n, m)),
      projects: three.map(project),
    };
    yield `${JSON.stringify(row)}\n`;
  }
}

function site(n: number) {
  return {
    id: siteId(n),
    address1: `${n} Orchard Lane`,
    address2: null,
    city: 'Bend',
    state: 'OR',
    zip: '97701',
    tosAccepted: '2023-04-05',
    serviceLevel: 'Signature',
    clientSegment: 'Estate',
    businessName: `Orchard ${n} LLC`,
    createdAt: '2021-06-01T15:00:00.000Z',
    updatedAt: '2024-02-03T16:30:00.000Z',
    sla: 4,
    isMonitored: true,
    accountManager: { id: uuid(n), firstName: 'Nora', lastName: 'Whitfield' },
    membershipRegistered: true,
  };
}

function client(n: number, m: number) {
  return {
    id: `client-${n}-${m}`,
    name: `Resident ${m} of ${n}`,
    marketingOptOut: false,
    emails: [{ id: uuid(m), value: `resident-${m}@example.com`, label: 'home', isPrimary: true }],
    phoneNumbers: [{ id: uuid(m), value: '+1 541 555 0100', label: 'mobile', isPrimary: true }],
    isPrimary: m === 0,
  };
}

function project(_: unknown, m: number) {
  return {
    id: uuid(m),
    name: `Project ${m}`,
    isPrimary: m === 0,
    stage: 'Installed',
    signingDate: '2022-03-04',
  };
}

function uuid(n: number): string {
  return `00000000-0000-4000-8000-${n.toString(16).padStart(12, '0')}`;
}
