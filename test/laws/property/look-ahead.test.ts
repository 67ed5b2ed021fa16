import fc from 'fast-check';
import { it, onTestFinished } from 'vitest';
import { deferProperty, parameters, timeout, wholeProperty } from './property.ts';
import { startTestSetup } from './test-setup.ts';

async function openGatewayStage() {
  const setup = await startTestSetup();
  onTestFinished(setup.close);
  return setup;
}

it(
  'returns the data of the full documents, and requests exactly the relations that an operation reads',
  async () => {
    await fc.assert(wholeProperty(await openGatewayStage()), parameters);
  },
  timeout,
);

it(
  'returns the same data incrementally, in every response format',
  async () => {
    await fc.assert(deferProperty(await openGatewayStage()), parameters);
  },
  timeout,
);
