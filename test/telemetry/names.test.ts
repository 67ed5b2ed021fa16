import { expect, it } from 'vitest';
import { createNames } from '../../src/telemetry/names.ts';
import type { Operation } from '../../src/telemetry/operation.ts';

const answered = {
  method: 'GET',
  path: '/v1/health',
  status: 200,
  durationMs: 1,
  source: 'network',
} as const;

function operationOf(name: string | null, rest: Partial<Operation> = {}): Operation {
  return {
    requestId: '1',
    name,
    documentHash: 'ab',
    isTrusted: false,
    outcome: 'ok',
    status: 200,
    durationMs: 1,
    codes: [],
    key: null,
    traceId: undefined,
    calls: [answered],
    questions: 1,
    ...rest,
  };
}

it('gives a label to the first names that brought anything, and to those of the operator', () => {
  const nameOf = createNames(2);
  const empty = { calls: [{ ...answered, status: 403 }] };
  expect(
    [
      operationOf('Empty', { calls: [] }),
      operationOf('Refused', empty),
      operationOf('First'),
      operationOf('Second'),
      operationOf('Third'),
      operationOf('First', empty),
      operationOf('Ours', { isTrusted: true }),
      operationOf('Third'),
      operationOf(null),
      operationOf(null, { documentHash: null }),
    ].map(nameOf),
  ).toEqual([
    '(other)',
    '(other)',
    'First',
    'Second',
    '(other)',
    'First',
    'Ours',
    '(other)',
    '(anonymous)',
    '(none)',
  ]);
});
