import { join } from 'node:path';
import { writeIfChanged } from './freshness.ts';
import { root } from './output.ts';
import { bundlePage } from './page.ts';

// `npm run dev`: tsx starts this program again at each change of a file that it has loaded, or of the page.
await writeIfChanged('page', join(root, 'dist/graphiql'), bundlePage);
await import('../src/main.ts');
