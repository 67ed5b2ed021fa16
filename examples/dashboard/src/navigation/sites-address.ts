import { decodeSegment } from './id.ts';

/** The columns that the table of sites is sorted by. */
export const sortKeys = ['level', 'expiry'] as const;
export interface Sort {
  by: (typeof sortKeys)[number];
  isDescending: boolean;
}

/** What the address of the table of sites says. */
export interface SitesAddress {
  /** As the address has them; empty where it has none. */
  ids: readonly string[];
  /** From 1. */
  page: number;
  sort?: Sort | undefined;
}

/** Servers reject longer addresses: Node accepts 16 KiB, with all header fields. */
const MAX_ADDRESS_LENGTH = 6000;

/** Reads `?ids=SITE-1001,SITE-1002&page=2&sort=-expiry`. Each id is encoded by itself, because it may contain a comma. */
export function readSitesAddress(search: string): SitesAddress {
  const fields = new Map(
    search
      .replace(/^\?/, '')
      .split('&')
      .map((field): [string, string] => {
        const [name = '', ...value] = field.split('=');
        return [name, value.join('=')];
      }),
  );
  const ids = (fields.get('ids') ?? '').split(',').map((id) => decodeSegment(id) ?? id);
  const [, minus, name] = /^(-?)(\w+)$/.exec(fields.get('sort') ?? '') ?? [];
  const by = sortKeys.find((key) => key === name);
  const page = /^[1-9]\d{0,5}$/.test(fields.get('page') ?? '') ? Number(fields.get('page')) : 1;
  return {
    ids: ids.filter((id) => id !== ''),
    page,
    ...(by && { sort: { by, isDescending: minus === '-' } }),
  };
}

/** What a link to a table has, wherever the text has it; undefined where there is none, or it has no ids. */
export function sitesAddressIn(text: string): SitesAddress | undefined {
  const [, search] = /\/sites\?([^\s#]*)/.exec(text) ?? [];
  const address = search === undefined ? undefined : readSitesAddress(search);
  return address && address.ids.length > 0 ? address : undefined;
}

/** The address of a table. */
export function sitesPath({ ids, page = 1, sort }: Partial<SitesAddress> = {}): string {
  const fields = [
    ids && ids.length > 0 && `ids=${ids.map(encodeURIComponent).join(',')}`,
    page > 1 && `page=${page}`,
    sort && `sort=${sort.isDescending ? '-' : ''}${sort.by}`,
  ].filter((field) => typeof field === 'string');
  return fields.length > 0 ? `/sites?${fields.join('&')}` : '/sites';
}

/** Whether a server accepts the address of these sites. */
export const fitsAddress = (ids: readonly string[]) => sitesPath({ ids }).length <= MAX_ADDRESS_LENGTH;
