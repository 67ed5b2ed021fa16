import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { settings } from '../../src/features.ts';
import { root } from '../support/files.ts';
import { instruction, readBuildContext, readDockerfile, settingNames } from './files.ts';

/* `npm run image` runs deploy/build.sh, then CMD and HEALTHCHECK as USER with ENV; here is what only Docker would do. */

const stages = readDockerfile();

it('starts each stage from Node 24, without the name of a registry', () => {
  expect(stages.map(([from]) => from?.split(' ')[1])).toEqual(Array(2).fill('node:24-bookworm-slim'));
});

it('builds with deploy/build.sh, from a context that exists', () => {
  expect(stages[0]?.slice(1)).toEqual([
    'WORKDIR /build',
    'COPY package.json package-lock.json ./',
    'RUN npm ci --no-audit --no-fund',
    'COPY . .',
    'RUN sh deploy/build.sh /app',
  ]);
  expect(stages[1]?.filter((line) => /^(COPY|RUN|ADD)/.test(line))).toEqual(['COPY --from=build /app ./']);
  expect(readBuildContext().filter((path) => !existsSync(join(root, path)))).toEqual([]);
});

it('starts the gateway as `npm start` does', () => {
  expect(JSON.parse(instruction('CMD'))).toEqual(manifest.scripts.start.split(' '));
});

it('sets only declared settings, and exposes the default port', () => {
  const names = [...instruction('ENV').matchAll(/(\w+)=/g)].map(([, name = '']) => name);
  expect(names).toEqual(['NODE_ENV', 'HOST']);
  expect(names.filter((name) => !settingNames.includes(name))).toEqual([]);
  expect(instruction('EXPOSE')).toBe(String(settings.configFromEnv({}).config?.port));
});
