import { resolve } from 'node:path';
import fc from 'fast-check';
import { it, onTestFinished } from 'vitest';
import { deferProperty, parameters, timeout, wholeProperty } from './property.ts';
import { roomsIn } from './rooms.ts';
import { openStage } from './stage.ts';

async function openGatewayStage() {
  const stage = await openStage(await roomsIn(resolve('src')));
  onTestFinished(stage.close);
  return stage;
}

it(
  'answers any operation as the full documents would, for exactly the relations that it reads',
  async () => {
    await fc.assert(wholeProperty(await openGatewayStage()), parameters);
  },
  timeout,
);

it(
  'answers any operation with deferred parts all the same, in every form of answer',
  async () => {
    await fc.assert(deferProperty(await openGatewayStage()), parameters);
  },
  timeout,
);
