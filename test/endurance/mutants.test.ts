import fc from 'fast-check';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { importModules } from '../laws/property/modules.ts';
import { deferProperty, numRuns, parameters, timeout, wholeProperty } from '../laws/property/property.ts';
import { startTestSetup } from '../laws/property/test-setup.ts';
import { copyOfGateway, deferMutants, type Mutant, mutants } from './mutants.ts';

vi.setConfig({ testTimeout: timeout });

async function openCopy(mutant?: Mutant) {
  const { src, remove } = await copyOfGateway(mutant);
  onTestFinished(remove);
  const setup = await startTestSetup(await importModules(src));
  onTestFinished(setup.close);
  return setup;
}

describe.each([
  { responses: 'complete responses', property: wholeProperty, faults: mutants },
  { responses: 'incremental responses', property: deferProperty, faults: deferMutants },
])('the property of $responses', ({ property, faults }) => {
  // Shows that a failure below is not that of the copy.
  it('holds for a copy of the gateway', async () => {
    await fc.assert(property(await openCopy()), { ...parameters, numRuns: Math.ceil(numRuns / 4) });
  });

  it.for(faults)('fails for a gateway that $fault', async (mutant) => {
    const { failed, interrupted } = await fc.check(property(await openCopy(mutant)), {
      ...parameters,
      endOnFailure: true,
    });
    expect({ failed, interrupted }).toEqual({ failed: true, interrupted: false });
  });
});
