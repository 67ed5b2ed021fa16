import type { ReferenceDatabase } from './database.ts';
import type { Environment } from './tables.ts';

/** What a database gets when it is first served: the demo in the test environment, in production nothing. */
export function createFill(environment: Environment, siteIdPrefix: string) {
  return async (fresh: ReferenceDatabase): Promise<void> => {
    if (environment !== 'test') return;
    const { seedDemo } = await import('./data/seed.ts');
    await seedDemo(fresh, siteIdPrefix);
  };
}
