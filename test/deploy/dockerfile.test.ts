import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { settings } from '../../src/config/settings.ts';
import { isSent, readDockerfile } from './dockerfile.ts';
import { namesHost, root, settingNames } from './files.ts';

const stages = readDockerfile();
const final = stages.at(-1);
const steps = (keyword: string) => (final?.steps ?? []).filter((step) => step.keyword === keyword);

it('begins every stage with Node 24, from no named host', () => {
  expect(stages.map(({ from }) => from)).toEqual(Array(3).fill('node:24-bookworm-slim'));
  expect(stages.filter(({ from }) => namesHost(from))).toEqual([]);
});

it('copies what there is: of the folder what is sent, of stages that come before', () => {
  const copies = stages.flatMap(({ steps }, n) =>
    steps.filter(({ keyword }) => keyword === 'COPY').map((step) => ({ step, before: stages.slice(0, n) })),
  );
  expect(copies.length).toBeGreaterThan(4);
  for (const { step, before } of copies) {
    if (step.source !== null) expect(before.map(({ name }) => name)).toContain(step.source);
    else
      for (const path of step.args.slice(0, -1))
        expect(existsSync(resolve(root, path)) && isSent(path)).toBe(true);
  }
});

it('installs nothing for development into the image, and runs no script of a package there', () => {
  const installed = stages
    .find(({ name }) => name === 'modules')
    ?.steps.filter(({ keyword }) => keyword === 'RUN');
  expect(installed?.map(({ text }) => text)).toEqual([
    'npm ci --omit=dev --engine-strict --ignore-scripts --no-audit --no-fund',
  ]);
  expect(steps('RUN')).toEqual([]);
});

it('runs as a user by number, who is not root', () => {
  expect(steps('USER').map(({ text }) => text)).toEqual(['1000:1000']);
});

it('starts the gateway, which is told when to stop without a shell between', () => {
  expect(steps('CMD').map(({ args }) => args)).toEqual([['node', 'dist/main.js']]);
  expect(existsSync(resolve(root, 'src/main.ts'))).toBe(true);
});

it('sets what can be set, and names the port that is served', () => {
  const names = steps('ENV').flatMap(({ text }) => [...text.matchAll(/(\w+)=/g)].map(([, name]) => name));
  expect(names).toEqual(['NODE_ENV', 'HOST']);
  expect(names.filter((name = '') => !settingNames.includes(name))).toEqual([]);
  expect(steps('EXPOSE').map(({ text }) => text)).toEqual([String(settings.parse({}).PORT)]);
});

it('asks at /readyz whether it is well', () => {
  const [check] = steps('HEALTHCHECK');
  expect(check?.args.slice(0, 2)).toEqual(['node', '-e']);
  expect(check?.args[2]).toContain('/readyz`');
});
