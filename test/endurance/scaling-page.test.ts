import { execFile } from 'node:child_process';
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { Agent, request } from 'undici';
import { expect, it, onTestFinished } from 'vitest';
import { hasHaproxy, hasNginx, makeCertificate } from '../support/balancer.ts';
import { makeFolder } from '../support/manifest.ts';
import { freePort } from '../support/ports.ts';
import { bareSite, sendJson, siteFromPath, startUpstream } from '../support/upstream.ts';

/*
 * The commands of docs/scaling.md for HAProxy and nginx as they are printed, but for paths, ports, the address of the REST
 * API and `systemctl`: that one starts the command of the unit with its environment, as systemd does, without its sandbox.
 */

const run = promisify(execFile);
const root = resolve(import.meta.dirname, '../..');

/** The blocks of commands in a section of the page. */
async function commandsOf(section: string): Promise<string[]> {
  const page = await readFile(join(root, 'docs/scaling.md'), 'utf8');
  const [, text = ''] = new RegExp(`^## ${section}\\n(.*?)^## `, 'ms').exec(page) ?? [];
  return [...text.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, code = '']) => code);
}

const systemctl = (folder: string) => `#!/bin/bash
cd ${folder}; verb=$1; shift
start() (
  set -a
  case $1 in
    haproxy) . etc/default/haproxy; command="haproxy -W -db -f etc/haproxy/haproxy.cfg" ;;
    nginx) command="nginx -p ${folder} -c etc/nginx/nginx.conf" ;;
    *) unit=$(sed "s/%i/\${1#*@}/g" etc/systemd/system/portico@.service)
      eval "$(sed -n 's/^Environment=//p' <<<"$unit")"; . etc/portico/portico.env
      command=$(sed -n 's|/opt/portico|${root}|; s|=/usr/bin/node|=${process.execPath}|; s/^ExecStart=//p' <<<"$unit") ;;
  esac
  $command </dev/null >>log 2>&1 & echo $! >"$1.pid"
)
stop() {
  pid=$(cat "$1.pid"); kill $pid
  while [ -d /proc/$pid ] && ! grep -q ') Z ' /proc/$pid/stat; do sleep 0.1; done
}
for name; do
  case $verb-$name in
    *---now) ;;
    reload-haproxy) kill -USR2 $(cat haproxy.pid) ;;
    reload-nginx) kill -HUP $(cat nginx.pid) ;;
    restart-*) [ ! -f $name.pid ] || stop $name; start $name ;;
    enable-* | start-*) start $name ;;
    disable-*) stop $name ;;
  esac
done
`;

it.skipIf(!hasHaproxy || !hasNginx)(
  'installs four gateways behind HAProxy and nginx, restarts them in turn and removes one without a failed request',
  { timeout: 600_000 },
  async () => {
    const [install = '', restart = '', remove = '', ...more] = await commandsOf('HAProxy');
    const [nginx = '', ...others] = await commandsOf('nginx');
    expect([...more, ...others]).toEqual([]);
    const folder = await makeFolder();
    const etc = join(folder, 'etc');
    for (const name of ['bin', 'etc/systemd/system', 'etc/haproxy', 'etc/default', 'etc/nginx/conf.d'])
      await mkdir(join(folder, name), { recursive: true });
    await cp(join(root, 'deploy'), join(folder, 'deploy'), { recursive: true });
    await writeFile(join(folder, 'bin/systemctl'), systemctl(folder), { mode: 0o755 });
    // The latency of the REST API keeps the load from taking the whole machine.
    const upstream = await startUpstream((req, res) =>
      setTimeout(() => sendJson(res, bareSite(siteFromPath(req.url ?? '').id)), 100),
    );
    const [haproxyPort, nginxPort, certificate] = [
      await freePort(),
      await freePort(),
      await makeCertificate(),
    ];
    const parts: (readonly [from: string | RegExp, to: string])[] = [
      ['https://partner-api.example.com', upstream.url],
      [':443', `127.0.0.1:${haproxyPort}`],
      ['listen 443 ', `listen 127.0.0.1:${nginxPort} `],
      [/\/etc\/(haproxy|nginx)\/portico\.(pem|key)/g, certificate],
      [/(?<= )\/etc\//g, `${etc}/`],
      [/\/var\/log\/nginx/g, folder],
    ];
    for (const port of ['4001', '4002', '4003', '4004'])
      parts.push([new RegExp(`\\b${port}\\b`, 'g'), String(await freePort())]);
    const here = (text: string) => parts.reduce((changed, [from, to]) => changed.replace(from, to), text);
    for (const path of ['deploy/haproxy/haproxy.cfg', 'deploy/nginx/portico.conf'])
      await writeFile(join(folder, path), here(await readFile(join(folder, path), 'utf8')));
    await writeFile(
      join(etc, 'nginx/nginx.conf'),
      `${process.getuid?.() === 0 ? 'user root;' : ''} daemon off; pid ${folder}/pid; error_log stderr; events {}
      http { include ${etc}/nginx/conf.d/*.conf; }`,
    );
    const options = { cwd: folder, env: { PATH: `${folder}/bin:${process.env.PATH}` } };
    const type = (script: string) => run('bash', ['-e', '-c', here(script)], options);
    onTestFinished(() =>
      run('sh', ['-c', 'kill $(cat *.pid)'], { cwd: folder }).then(
        () => {},
        () => {},
      ),
    );
    await type('systemctl start nginx');
    await type(install);

    const dispatcher = new Agent({ connect: { rejectUnauthorized: false } });
    onTestFinished(() => dispatcher.destroy());
    const post = async (n: number) => {
      const { statusCode, body } = await request(
        `https://127.0.0.1:${n % 2 ? nginxPort : haproxyPort}/graphql`,
        {
          dispatcher,
          // The balancers close idle connections when they are reloaded.
          reset: true,
          method: 'POST',
          headers: { 'content-type': 'application/json', 'x-api-key': `scaling-page-key-0123456789-${n}` },
          body: JSON.stringify({ query: `{ site(id: "SITE-${n}") { id } }` }),
        },
      );
      return { statusCode, body: await body.text() };
    };
    // The commands that wait for a gateway, and for the balancer to notice it.
    await type(restart.replace(/.*systemctl.*\n/, ''));
    await type(nginx);
    for (const n of [0, 1])
      await expect.poll(async () => (await post(n).catch(() => undefined))?.statusCode).toBe(200);

    let isOver = false;
    const load = Array.from({ length: 8 }, async (_, n) => {
      let sent = 0;
      for (; !isOver; sent += 1) {
        expect(await post(n)).toEqual({ statusCode: 200, body: `{"data":{"site":{"id":"SITE-${n}"}}}` });
      }
      return sent;
    });
    const over = type(`${restart}${remove}`).finally(() => {
      isOver = true;
    });
    const sent = await Promise.all(load);
    await over;
    expect(Math.min(...sent)).toBeGreaterThan(8);
    const servers = (await readFile(join(etc, 'haproxy/haproxy.cfg'), 'utf8')).match(
      /^ +server gateway-\d/gm,
    );
    expect(servers).toHaveLength(3);
  },
);
