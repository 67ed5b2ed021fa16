import type { Recent } from '../../navigation/recent.ts';
import { pathFor } from '../../navigation/route.ts';

/** Ids of the demo data. Delete this list where the gateway reads the real REST API. */
export const examples: readonly Recent[] = [
  { id: 'SITE-1001', title: 'A home with three projects' },
  { id: 'SITE-1016', title: 'A home with nine clients and eight projects' },
  { id: '5f0c2a9e-3b1d-4c5a-9e7f-8a6b4c2d1e00', title: 'A leak, and the three sites it concerns' },
  { id: '5f0c2a9e-3b1d-4c5a-9e7f-8a6b4c2d1e01', title: 'Three hundred messages' },
].map(({ id, title }) => ({ id, title, path: pathFor(id) }));
