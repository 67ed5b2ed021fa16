import fc from 'fast-check';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { deferProperty, parameters, wholeProperty } from '../laws/property/property.ts';
import { roomsIn } from '../laws/property/rooms.ts';
import { openStage } from '../laws/property/stage.ts';
import { copyOfGateway, deferMutants, type Mutant, mutants } from './mutants.ts';

vi.setConfig({ testTimeout: 120_000 });

async function openCopy(mutant?: Mutant) {
  const { src, remove } = await copyOfGateway(mutant);
  onTestFinished(remove);
  const stage = await openStage(await roomsIn(src));
  onTestFinished(stage.close);
  return stage;
}

describe.each([
  { answers: 'whole answers', property: wholeProperty, faults: mutants },
  { answers: 'deferred parts', property: deferProperty, faults: deferMutants },
])('the property of $answers', ({ property, faults }) => {
  // That it holds for the gateway itself is shown elsewhere, at length: here, that it is not the copy that fails.
  it('holds for a copy of the gateway', async () => {
    await fc.assert(property(await openCopy()), { ...parameters, numRuns: 250 });
  });

  it.for(faults)('fails for a gateway that $fault', async (mutant) => {
    const { failed, interrupted } = await fc.check(property(await openCopy(mutant)), {
      ...parameters,
      endOnFailure: true,
    });
    expect({ failed, interrupted }).toEqual({ failed: true, interrupted: false });
  });
});
