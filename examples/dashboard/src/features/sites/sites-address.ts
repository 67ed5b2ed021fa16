import { decode, itemOf } from '../../navigation/id.ts';

/** `expiry`: by the end of the CPP, upwards; `-expiry`: downwards. Service levels have no rank in the REST API. */
export type Sort = 'expiry' | '-expiry';

/** The state of the table of sites, in its address. */
export interface SitesAddress {
  /** Those that are shared; empty: the list that is kept in this browser. */
  ids: readonly string[];
  /** From 1. */
  page: number;
  sort?: Sort | undefined;
}

/** Servers reject longer addresses: Node accepts 16 KiB, with all header fields. */
const MAX_ADDRESS_LENGTH = 6000;

/** Reads `?ids=SITE-1001,SITE-1002&page=2&sort=-expiry`. Each id is encoded by itself, because it may contain a comma. */
export function readSitesAddress(search: string): SitesAddress {
  const [, ids = ''] = /[?&]ids=([^&]*)/.exec(search) ?? [];
  const items = ids.split(',').map((id) => itemOf(decode(id)));
  const [, page = '1'] = /[?&]page=([1-9]\d{0,4})(?![^&])/.exec(search) ?? [];
  const [, sort] = /[?&]sort=(-?expiry)(?![^&])/.exec(search) ?? [];
  return {
    ids: [...new Set(items.flatMap((item) => (item?.page === 'site' ? item.id : [])))],
    page: Number(page),
    ...(sort && { sort: sort as Sort }),
  };
}

/** The address of a table. */
export function sitesPath({ ids = [], page = 1, sort }: Partial<SitesAddress> = {}): string {
  const fields = [
    ...(ids.length > 0 ? [`ids=${ids.map(encodeURIComponent).join(',')}`] : []),
    ...(page > 1 ? [`page=${page}`] : []),
    ...(sort ? [`sort=${sort}`] : []),
  ];
  return fields.length > 0 ? `/sites?${fields.join('&')}` : '/sites';
}

/** Whether a server accepts the address of these sites. */
export const fitsAddress = (ids: readonly string[]) => sitesPath({ ids }).length <= MAX_ADDRESS_LENGTH;

/** The rows in the order of the table: pinned ones first, and those without an end last, in either direction. */
export function inOrder<Row extends { isPinned: boolean; expiry: number | undefined }>(
  rows: readonly Row[],
  sort: Sort | undefined,
): Row[] {
  const direction = sort === '-expiry' ? -1 : 1;
  const rankOf = ({ expiry }: Row) => (sort && expiry !== undefined ? direction * expiry : Number.MAX_VALUE);
  return rows.toSorted((a, b) => Number(b.isPinned) - Number(a.isPinned) || rankOf(a) - rankOf(b));
}
