import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  // graphql ships two builds; the libraries load this one, and there must be only one.
  resolve: { alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }] },
  test: {
    globalSetup: 'test/support/build.ts',
    setupFiles: 'test/support/draws.ts',
    // More workers than cores, because many tests wait for processes and time limits.
    maxWorkers: Math.ceil(availableParallelism() * 1.5),
    retry: Number(process.env.TEST_RETRIES ?? 0),
    // A worker loads the modules once for all of its files, which halves the CPU time of the quick tests.
    isolate: false,
    // Generous, for a busy machine: a test waits for events, and ends when they come.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
    projects: [
      {
        extends: true,
        test: {
          name: 'quick',
          include: ['test/**/*.test.ts'],
          exclude: [
            'test/clients/guide.test.ts',
            'test/endurance/**',
            'test/dashboard/browser/**',
            'test/deploy/package.test.ts',
          ],
        },
      },
      {
        extends: true,
        test: {
          name: 'long',
          include: [
            'test/clients/guide.test.ts',
            'test/endurance/**/*.test.ts',
            'test/dashboard/browser/**/*.test.ts',
            'test/deploy/package.test.ts',
            'test/**/laws/**/*.test.ts',
          ],
          env: { TEST_SCALE: process.env.TEST_SCALE ?? '10' },
        },
      },
    ],
  },
});
