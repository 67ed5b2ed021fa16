import { options } from './options.ts';

const { workers } = options;

/** Monaco starts a worker for each language that checks and completes, and one for the editor itself. */
window.MonacoEnvironment = {
  getWorker(_module: string, label: string) {
    const name = label === 'graphql' || label === 'json' ? workers[label] : workers.editor;
    return new Worker(new URL(`graphiql/${name}`, document.baseURI), { type: 'module' });
  },
};
