import { readFileSync, writeFileSync } from 'node:fs';

/**
 * `npm version` runs this between the new number in package.json and the commit with its tag: it moves what
 * the changelog has under Unreleased to the new version, keeps the schema as that of the last release, and
 * names the image by the version.
 */
const version = process.env.npm_package_version;
const previous = process.env.npm_old_version;
if (!version || !previous) throw new Error('Run this by npm version, as CONTRIBUTING.md describes.');

const day = new Date().toISOString().slice(0, 10);
edit('CHANGELOG.md', '## Unreleased\n', `## Unreleased\n\n## ${version} - ${day}\n`);
for (const path of ['deploy/kubernetes/kustomization.yaml', 'docs/kubernetes.md']) {
  edit(path, `newTag: ${previous}`, `newTag: ${version}`);
}
edit('docs/configuration.md', `portico-${previous}.tgz`, `portico-${version}.tgz`);
writeFileSync('docs/released.graphql', readFileSync('schema.graphql'));

/** @throws where the file does not contain the text, before the release is committed */
function edit(path: string, from: string, to: string): void {
  const text = readFileSync(path, 'utf8');
  if (!text.includes(from)) throw new Error(`${path} must contain: ${from.trim()}`);
  writeFileSync(path, text.replace(from, to));
}
