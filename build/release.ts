import { readFileSync, writeFileSync } from 'node:fs';

/**
 * `npm version` runs this between the new number in package.json and the commit with its tag: it moves what
 * the changelog has under Unreleased to the new version, keeps the schema as that of the last release, and
 * names the package and the image by the version.
 */
const version = process.env.npm_package_version;
const previous = process.env.npm_old_version;
if (!version || !previous) throw new Error('Run this by npm version, as docs/CONTRIBUTING.md describes.');

/** The owner's addresses, which nobody else knows. */
for (const path of ['package.json', 'deploy/Dockerfile', 'CHANGELOG.md'])
  if (readFileSync(path, 'utf8').includes('OWNER'))
    throw new Error(`${path} must have your names and addresses in place of each OWNER`);

/** Each names the package or the image by the version. */
const pages = [
  'deploy/Dockerfile',
  'docs/CONTRIBUTING.md',
  'deploy/kubernetes/kustomization.yaml',
  'docs/operations.md',
  'docs/frontend.md',
  'docs/kubernetes.md',
  'docs/security.md',
];
const names = new RegExp(
  `(?<=portico[-:]|newTag: |image.version=")${previous.replaceAll('.', '\\.')}\\b`,
  'g',
);

const day = new Date().toISOString().slice(0, 10);
edit('CHANGELOG.md', /^## \[Unreleased\]$/m, `## [Unreleased]\n\n## [${version}] - ${day}`);
edit(
  'CHANGELOG.md',
  /^\[Unreleased\]: (.*\/)v.*$/m,
  `[Unreleased]: $1v${version}...HEAD\n[${version}]: $1v${previous}...v${version}`,
);
for (const path of pages) edit(path, names, version);
writeFileSync('docs/released.graphql', readFileSync('schema.graphql'));

/** @throws if the file does not contain the text, before the release is committed */
function edit(path: string, from: RegExp, to: string): void {
  const text = readFileSync(path, 'utf8');
  const edited = text.replace(from, to);
  if (edited === text) throw new Error(`${path} must contain: ${from.source}`);
  writeFileSync(path, edited);
}
