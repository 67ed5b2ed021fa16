import { defineConfig } from 'vitest/config';
import project from '../../vitest.config.ts';

/** Some tests without a build, for `npm run mutants`: those of one source file. A mutant that hangs soon fails its test. */
export default defineConfig({
  ...(project.resolve && { resolve: project.resolve }),
  test: { include: process.env.MUTANTS_TESTS?.split(',') ?? [], testTimeout: 10_000 },
});
