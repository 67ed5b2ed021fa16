import { eachWithout, without } from '../gaps.ts';
import type { DemoSite } from './sites.ts';

type Change = (demo: DemoSite) => DemoSite;

/** Changes to some sites of Acme, by number: gaps that the contract allows. */
export const siteExceptions: ReadonlyMap<string, Change> = new Map([
  ['1005', withAddress({ address1: null, address2: null, city: null, state: null, zip: null })],
  ['1006', withAddress({ address1: null })],
  ['1007', withAddress({ city: null })],
  ['1008', withAddress({ state: null })],
  ['1010', withAddress({ zip: null })],
  ['1011', withRequiredFieldsOnly],
  ['1012', withoutInManager('id')],
  ['1013', withoutInManager('firstName')],
  ['1014', withoutInManager('lastName')],
  ['1016', withGapsInRelations],
]);

function withAddress(address: Partial<DemoSite['site']>): Change {
  return (demo) => ({ ...demo, site: { ...demo.site, ...address } });
}

function withRequiredFieldsOnly({ site, ...relations }: DemoSite): DemoSite {
  const { id, address1, address2, city, state, zip } = site;
  return { site: { id, address1, address2, city, state, zip }, ...relations };
}

function withoutInManager(field: 'id' | 'firstName' | 'lastName'): Change {
  const dana = { id: '0b8f6c1e-52a7-4d0b-9a43-6d1c7e2f9b10', firstName: 'Dana', lastName: 'Whitfield' };
  return (demo) => ({ ...demo, site: { ...demo.site, accountManager: without(dana, field) } });
}

/** Nine clients and eight projects, each without a different field, as are the emails and phone numbers. */
function withGapsInRelations({ site, clients, projects }: DemoSite): DemoSite {
  const emails = eachWithout(
    clients.flatMap((client) => client.emails?.slice(0, 1) ?? []),
    ['id', 'value', 'label', 'isPrimary'],
  );
  const phoneNumbers = eachWithout(
    clients.flatMap((client) => client.phoneNumbers?.slice(0, 1) ?? []),
    ['id', 'value', 'ext', 'label', 'isPrimary'],
  );
  const rewired = clients.map((client, n) => ({
    ...client,
    emails: emails.slice(n, n + 1),
    phoneNumbers: phoneNumbers.slice(n, n + 1),
  }));
  return {
    site,
    clients: eachWithout(rewired, [
      'isPrimary',
      'name',
      'firstName',
      'lastName',
      'partnerName',
      'marketingOptOut',
      'emails',
      'phoneNumbers',
      'id',
    ]),
    projects: eachWithout(projects, [
      'isPrimary',
      'name',
      'stage',
      'estimatedDay1',
      'day1StartDate',
      'warrantyExpiration',
      'signingDate',
      'id',
    ]),
  };
}
