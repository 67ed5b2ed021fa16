import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { startProcess } from '../support/process.ts';

it('prints schema.graphql, and exits with 0', async () => {
  const portico = await startProcess('main.ts', { PORT: 'not read' }, ['print-schema']);
  const { code, stdout, stderr } = await portico.exit();
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout.trimEnd()).toBe(readFileSync(resolve(import.meta.dirname, '../../schema.graphql'), 'utf8'));
});
