import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { copyProject, shellEnv } from '../support/project.ts';

it('builds the page of GraphiQL again at each change while npm run dev runs', {
  timeout: 1_000_000,
}, async () => {
  const cwd = await copyProject();
  // A group of its own, because npm does not pass its end on to the programs that it has started.
  const dev = spawn('npm', ['run', 'dev'], { cwd, env: { ...shellEnv(), PORT: '0' }, detached: true });
  const exited = once(dev, 'exit');
  onTestFinished(async () => {
    process.kill(-(dev.pid ?? 0), 'SIGKILL');
    await exited;
  });
  let output = '';
  dev.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  dev.stderr.setEncoding('utf8').on('data', (text: string) => (output += text));
  /** The style sheet of the page that the n-th start serves. */
  const styleAt = async (start: number): Promise<string> => {
    const addresses = () => [...output.matchAll(/ready at (http:\/\/\S+)\/graphql\n/g)];
    await expect.poll(() => addresses().length, { timeout: 300_000 }).toBe(start);
    const [, origin = ''] = addresses()[start - 1] ?? [];
    const html = await (await fetch(`${origin}/graphql`, { headers: { accept: 'text/html' } })).text();
    const [, path = ''] = /<link rel="stylesheet" href="([^"]+)"/.exec(html) ?? [];
    return (await fetch(new URL(path, `${origin}/graphql`))).text();
  };
  expect(await styleAt(1)).not.toContain('.first-change');
  for (const [n, name] of ['first-change', 'second-change'].entries()) {
    await appendFile(join(cwd, 'graphiql/style/cost.css'), `\n.${name} {\n  color: red;\n}\n`);
    expect(await styleAt(n + 2)).toContain(`.${name}`);
  }
});
