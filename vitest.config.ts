import { defineConfig } from 'vitest/config';

export default defineConfig({
  // graphql ships two builds; the libraries load this one, and there must be only one.
  resolve: { alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }] },
  test: {
    include: ['test/**/*.test.ts'],
    // Most of the tests wait for processes and deadlines rather than compute.
    maxWorkers: '100%',
    testTimeout: 20_000,
    hookTimeout: 20_000,
  },
});
