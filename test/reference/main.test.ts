import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { demoKeys } from '../../src/reference/data/landmarks.ts';
import { ask, freshDatabasePath, startFresh } from './harness.ts';
import { failureOf, linesOf, run } from './process.ts';

describe('the process', () => {
  it('invites with lines that work as pasted, and leaves on SIGTERM with 0', async () => {
    const child = run({ REFERENCE_PORT: '0', REFERENCE_DATABASE_URL: `file:${await freshDatabasePath()}` });
    const [ready = '', keys = '', curl = ''] = await linesOf(child, 3);
    expect(ready).toMatch(/^reference ready at http:\/\/127\.0\.0\.1:\d+$/);
    expect(keys).toContain(demoKeys.acme);
    expect(keys).toContain(demoKeys.globex);
    const { stdout } = await promisify(execFile)('sh', ['-c', `${curl} --silent`]);
    expect(JSON.parse(stdout)).toMatchObject({
      id: 'SITE-1001',
      clients: { length: 3 },
      projects: { length: 3 },
    });
    child.kill('SIGTERM');
    expect(await once(child, 'close')).toEqual([0, null]);
  });

  it('may start twice at the same time on one fresh file', async () => {
    const env = { REFERENCE_PORT: '0', REFERENCE_DATABASE_URL: `file:${await freshDatabasePath()}` };
    const readies = await Promise.all([run(env), run(env)].map((child) => linesOf(child, 1)));
    for (const [ready = ''] of readies) {
      const url = ready.replace('reference ready at ', '');
      expect((await ask({ url }, '/v1/site/SITE-1001')).status).toBe(200);
    }
  });

  it('prints no key in production', async () => {
    const child = run({ REFERENCE_PORT: '0', NODE_ENV: 'production', REFERENCE_DATABASE_URL: ':memory:' });
    let printed = '';
    child.stdout?.on('data', (chunk) => {
      printed += chunk;
      child.kill('SIGINT');
    });
    expect(await once(child, 'close')).toEqual([0, null]);
    expect(printed).toMatch(/^reference ready at [^\n]+\n$/);
  });

  it('ends with 1 and every fault of its configuration', async () => {
    const { code, heard } = await failureOf(run({ REFERENCE_PORT: 'x', REFERENCE_DATABASE_URL: 'y' }));
    expect(code).toBe(1);
    expect(heard).toBe(
      'REFERENCE_PORT must be a whole number from 0 to 65535\nREFERENCE_DATABASE_URL must be file:…, postgres://… or :memory:\n',
    );
  });

  it('ends with 1 and a clear word when the port is in use', async () => {
    const port = new URL((await startFresh()).url).port;
    const { code, heard } = await failureOf(
      run({ REFERENCE_PORT: port, REFERENCE_DATABASE_URL: ':memory:' }),
    );
    expect(code).toBe(1);
    expect(heard).toBe(`port ${port} on 127.0.0.1 is in use; set REFERENCE_PORT to another\n`);
  });
});
