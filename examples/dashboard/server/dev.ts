import { createServer } from 'vite';
import { listen } from './listen.ts';

/** The same backend with Vite in place of the build, so that a change of a component is on screen at once. */
const vite = await createServer({ server: { middlewareMode: true } });
await listen((req, res) => vite.middlewares(req, res));
