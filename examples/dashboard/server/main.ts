import { fileURLToPath } from 'node:url';
import { createAppFiles } from './app-files.ts';
import { listen } from './listen.ts';

await listen(createAppFiles(fileURLToPath(new URL('../dist', import.meta.url))));
