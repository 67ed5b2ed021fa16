import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { external } from '../build/external.ts';
import { buildIfChanged } from '../build/freshness.ts';
import manifest from '../package.json' with { type: 'json' };
import lock from '../package-lock.json' with { type: 'json' };
import { root, textOf } from './support/files.ts';

const { components } = JSON.parse(textOf('dist/sbom.cdx.json')) as {
  components: { purl: string; properties: { name: string; value: string }[] }[];
};
const bundled = components
  .filter(({ properties }) => properties[0]?.value === 'true')
  .map(({ purl }) => purl);
const purlOf = (name: string, version: string) => `pkg:npm/${name.replace('@', '%40')}@${version}`;

/** The files that esbuild read for the bundles in `dist/`, which the run has built before the tests. */
async function inputsOf(name: string, folder: string): Promise<string[]> {
  const build = () => Promise.reject(new Error('dist/ is not up to date: run npm run build'));
  return (await buildIfChanged(name, join(root, folder), build)).inputs;
}

/** From a file, by the nearest package.json that has a version, and not by the lock file, as the build does. */
function packageOf(path: string): { name: string; version: string } {
  const file = join(dirname(path), 'package.json');
  const found = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
  return found.version ? found : packageOf(dirname(path));
}

it('names every package that is an input of a bundle in the SBOM and the notices, and no other', async () => {
  const bundles = await Promise.all([inputsOf('programs', 'dist'), inputsOf('page', 'dist/graphiql')]);
  const inputs = bundles.flat().filter((path) => path.includes('node_modules/'));
  const packages = inputs.map(packageOf);
  const purls = new Set(packages.map(({ name, version }) => purlOf(name, version)));
  expect(purls).toContain(`pkg:npm/undici@${lock.packages['node_modules/undici'].version}`);
  expect([...new Set(bundled)].sort()).toEqual([...purls].sort());
  const notices = textOf('dist/THIRD-PARTY-NOTICES');
  expect(
    packages.filter(({ name, version }) => !notices.includes(`\n${name} ${version}\nLicence: `)),
  ).toEqual([]);
  expect(notices).toContain(textOf('node_modules/undici/LICENSE').trim());
});

it('bundles each dependency that is not external, and names the others with what they depend on', () => {
  const purls = components.map(({ purl }) => purl);
  for (const name of Object.keys(manifest.dependencies)) {
    const { version } = packageOf(join(root, 'node_modules', name, 'index.js'));
    expect(bundled.includes(purlOf(name, version)), name).toBe(!(name in external));
    expect(purls).toContain(purlOf(name, version));
  }
  expect(purls).toContainEqual(expect.stringMatching('^pkg:npm/pg-protocol@'));
});
