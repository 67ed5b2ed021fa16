import { OperationTypeNode } from 'graphql';
import { expect, it } from 'vitest';
import type { Operation } from '../../src/telemetry/operation.ts';
import { createNames, shownName } from '../../src/telemetry/operation-names.ts';

const call = {
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
    calls: [call],
    polls: undefined,
    type: OperationTypeNode.QUERY,
    loadCount: 1,
    ...rest,
  };
}

it('labels the first names that got data, and those in trusted documents', () => {
  const nameOf = createNames({ client: 2, trusted: 3 });
  const empty = { calls: [{ ...call, status: 403 }] };
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

it('limits client names and trusted names separately', () => {
  const nameOf = createNames({ client: 1, trusted: 2 });
  const labelOf = (name: string, isTrusted = false) => nameOf(operationOf(name, { isTrusted }));
  expect(['A', 'B', 'C', 'A'].map((name) => labelOf(name, true))).toEqual(['A', 'B', '(other)', 'A']);
  expect(['D', 'E', 'A'].map((name) => labelOf(name))).toEqual(['D', '(other)', 'A']);
});

it.each([false, true])('does not label a name over 64 characters (trusted document: %s)', (isTrusted) => {
  const nameOf = createNames();
  const [longest, tooLong] = ['n'.repeat(64), 'n'.repeat(65)];
  expect(nameOf(operationOf(tooLong, { isTrusted }))).toBe('(other)');
  expect(nameOf(operationOf(longest, { isTrusted }))).toBe(longest);
  expect(nameOf(operationOf(shownName(tooLong), { isTrusted }))).toBe('(other)');
});
