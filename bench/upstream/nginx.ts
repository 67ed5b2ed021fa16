import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { resources } from '../fixtures/resources.ts';
import { offFirstCore } from '../processes/cores.ts';
import { end, launch } from '../processes/launch.ts';
import { freePort, whenListening } from '../processes/ports.ts';
import { scratchFolder } from '../processes/scratch.ts';
import type { Upstream } from './upstreams.ts';

/** The version of the installed nginx, if there is one. */
export function nginxVersion(): string | undefined {
  return /nginx\/(\S+)/.exec(spawnSync('nginx', ['-v'], { encoding: 'utf8' }).stderr ?? '')?.[1];
}

/** Starts an nginx with one worker that serves every response as a file: the cheapest upstream. */
export async function startNginx(): Promise<Upstream & { stop(): Promise<void> }> {
  const folder = scratchFolder();
  const port = await freePort();
  writeResponses(folder);
  const config = join(folder, 'nginx.conf');
  writeFileSync(config, configOf(folder, port));
  const command = offFirstCore(['nginx', '-p', folder, '-e', join(folder, 'error.log'), '-c', config]);
  const child = launch(command, { stdio: ['ignore', 'ignore', 'pipe'] });
  await whenListening(port, child);
  let polls = 0;
  return {
    url: `http://127.0.0.1:${port}`,
    async calls() {
      polls += 1;
      const status = await (await fetch(`http://127.0.0.1:${port}/status`)).text();
      return Number(/^ \d+ \d+ (\d+)/m.exec(status)?.[1]) - polls;
    },
    stop: () => end(child),
  };
}

/** One folder for each key: a request with another key finds no file. */
function writeResponses(folder: string): void {
  for (const { key, path, include, json } of resources()) {
    const target = join(folder, 'responses', key, path);
    mkdirSync(target, { recursive: true });
    writeFileSync(join(target, `${include || 'bare'}.json`), JSON.stringify(json));
  }
}

function configOf(folder: string, port: number): string {
  return `
${process.getuid?.() === 0 ? 'user root;' : ''}
daemon off;
worker_processes 1;
pid ${folder}/nginx.pid;
events { worker_connections 4096; }
http {
  access_log off;
  client_body_temp_path ${folder}/body;
  proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi;
  scgi_temp_path ${folder}/scgi;
  default_type application/json;
  etag off;
  sendfile on;
  tcp_nodelay on;
  keepalive_timeout 1h;
  keepalive_requests 1000000000;
  open_file_cache max=20000 inactive=1h;
  map $http_x_api_key $owner { default unknown; "~^(?<key>bench-key-[0-9]+)$" $key; }
  map $arg_include $variant { default unknown; "" bare; clients clients; }
  server {
    listen 127.0.0.1:${port};
    root ${folder}/responses;
    location = /status { stub_status; }
    location /v1/ {
      add_header cache-control no-store;
      add_header last-modified "";
      try_files /$owner$uri/$variant.json =403;
    }
  }
}
`;
}
