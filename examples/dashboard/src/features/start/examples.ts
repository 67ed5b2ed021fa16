import type { Item } from '../../navigation/id.ts';
import type { Recent } from '../../navigation/recent.ts';
import { pathOf } from '../../navigation/route.ts';

const items: readonly (Item & { title: string })[] = [
  { page: 'site', id: 'SITE-1001', title: 'A home with three projects' },
  { page: 'site', id: 'SITE-1016', title: 'A home with nine clients and eight projects' },
  {
    page: 'conversation',
    id: '5f0c2a9e-3b1d-4c5a-9e7f-8a6b4c2d1e00',
    title: 'A leak, and the three sites it concerns',
  },
  { page: 'conversation', id: '5f0c2a9e-3b1d-4c5a-9e7f-8a6b4c2d1e01', title: 'Three hundred messages' },
];

/** Pages of the demo data. Delete this list if the gateway reads the real REST API. */
export const examples: readonly Recent[] = items.map((item) => ({
  id: item.id,
  title: item.title,
  path: pathOf(item),
}));
