import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { cp, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { request, WebSocket } from 'undici';
import { parseAst } from 'vitest/node';
import { root } from '../support/files.ts';

/** The own functions that one warm request enters, as `file:name`, in their order. */
export interface Walk {
  files: number;
  /** Steps from one file to another. */
  hops: number;
  /** Own frames on the stack from the resolver on, when undici gets the call. */
  frames: number;
}

interface Node {
  type: string;
  start: number;
  end: number;
  [key: string]: unknown;
}

const functionTypes = /^(FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/;

/** The text with a mark at the start of each function, which tells its file when it is entered. */
function marked(text: string, file: string): string {
  const tree = parseAst(text, { lang: 'ts' });
  const edits: { at: number; text: string; order: number }[] = [];
  const mark = `globalThis.__enter?.(${JSON.stringify(file)})`;

  function visit(node: Node): void {
    if (functionTypes.test(node.type)) markBody(node.body as Node & { body?: Node[] });
    for (const value of Object.values(node))
      for (const child of [value].flat()) if (isNode(child)) visit(child);
  }

  function markBody(body: Node & { body?: Node[] }): void {
    if (body.type !== 'BlockStatement') {
      edits.push({ at: body.start, text: `(${mark}, `, order: 0 }, { at: body.end, text: ')', order: 1 });
      return;
    }
    // A constructor of a subclass has no `this` before it calls that of its base.
    const isSuper = (one: Node) =>
      one.type === 'ExpressionStatement' &&
      ((one.expression as Node).callee as Node | undefined)?.type === 'Super';
    edits.push({ at: body.body?.find(isSuper)?.end ?? body.start + 1, text: ` ${mark};`, order: 0 });
  }

  visit(tree as unknown as Node);
  return edits
    .sort((one, other) => other.at - one.at || other.order - one.order)
    .reduce((whole, { at, text }) => whole.slice(0, at) + text + whole.slice(at), text);
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && typeof (value as Partial<Node>).type === 'string';
}

/** An upstream with any site, as fast as node:http responds. */
async function startSites() {
  const server = createServer((req, res) => {
    const id = decodeURIComponent(/\/v1\/site\/([^?]*)/.exec(req.url ?? '')?.[1] ?? '');
    const site = { id, address1: '1 Main Street', address2: null, city: 'Bend', state: 'OR', zip: '97703' };
    const body = JSON.stringify({ ...site, clients: [{ id: 'c1', name: 'A Client' }] });
    res.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length }).end(body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${port}`, close };
}

/** A debugger of another process. */
async function attach(url: string) {
  const socket = new WebSocket(url);
  await once(socket, 'open');
  const waiting = new Map<number, (value: unknown) => void>();
  socket.addEventListener('message', ({ data }) => {
    const { id, result } = JSON.parse(String(data));
    waiting.get(id)?.(result?.result?.value);
  });
  let count = 0;
  const evaluate = (expression: string) =>
    new Promise<unknown>((resolve) => {
      count += 1;
      waiting.set(count, resolve);
      const params = { expression, returnByValue: true };
      socket.send(JSON.stringify({ id: count, method: 'Runtime.evaluate', params }));
    });
  return { evaluate, close: () => socket.close() };
}

/**
 * Follows a warm request through the sources (the bundle has no files): starts a copy of them with a mark in each
 * function, and takes the shortest of some walks, because a timer of the server may fall into one. Takes half a minute.
 */
export async function walkRequest(): Promise<Walk> {
  const copy = mkdtempSync(join(tmpdir(), 'portico-house-'));
  const sites = await startSites();
  for (const name of ['package.json', 'tsconfig.json', 'reference', 'src'])
    await cp(join(root, name), join(copy, name), { recursive: true });
  for (const name of ['node_modules', 'dist']) symlinkSync(join(root, name), join(copy, name));
  for (const name of readdirSync(join(copy, 'src'), { recursive: true, encoding: 'utf8' })) {
    const path = join(copy, 'src', name);
    if (name.endsWith('.ts')) await writeFile(path, marked(readFileSync(path, 'utf8'), name));
  }
  const gateway = spawn(process.execPath, ['--import', 'tsx', '--inspect=127.0.0.1:0', 'src/main.ts'], {
    cwd: copy,
    env: {
      PATH: process.env.PATH,
      NODE_ENV: 'production',
      PORT: '0',
      LOG_LEVEL: 'warn',
      UPSTREAM_URL: sites.url,
    },
  });
  try {
    const debuggerUrl = await printed(gateway.stderr, /ws:\/\/\S+/);
    const url = await printed(gateway.stdout, /http:\/\/\S+\/graphql/);
    const { evaluate, close } = await attach(debuggerUrl);
    const query = 'query($id:ID!){site(id:$id){id address1 clients{id name}}}';
    const send = async (n: number) => {
      const headers = {
        'content-type': 'application/json',
        accept: 'application/json',
        'x-api-key': 'key-one',
      };
      const body = JSON.stringify({ query, variables: { id: `SITE-${n}` } });
      // Not fetch, which sometimes sends the body later than the head.
      const response = await request(url, { method: 'POST', headers, body });
      if (!(await response.body.text()).includes(`"SITE-${n}"`))
        throw new Error('The gateway did not respond.');
    };
    for (let n = 0; n < 30; n += 1) await send(n);
    let shortest: string[] | undefined;
    for (let n = 100; n < 107; n += 1) {
      await evaluate(
        'globalThis.__log = []; globalThis.__enter = (file) => void globalThis.__log.push(file); 0',
      );
      await send(n);
      const log = (await evaluate('globalThis.__enter = undefined; globalThis.__log')) as string[];
      if (!shortest || log.length < shortest.length) shortest = log;
    }
    await evaluate(recordStack);
    await send(200);
    const stack = String(await evaluate('globalThis.__stack'));
    close();
    return { ...pathOf(shortest ?? []), frames: framesIn(stack) };
  } finally {
    gateway.kill('SIGKILL');
    sites.close();
    rmSync(copy, { recursive: true, force: true });
  }
}

/** The first match in what a process prints; rejects with all of it if the process ends before. */
function printed(stream: NodeJS.ReadableStream, pattern: RegExp): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    stream.on('data', (chunk) => {
      text += chunk;
      const [found] = pattern.exec(text) ?? [];
      if (found !== undefined) resolve(found);
    });
    stream.on('end', () => reject(new Error(text)));
  });
}

function pathOf(files: readonly string[]): Pick<Walk, 'files' | 'hops'> {
  const hops = files.filter((file, n) => n > 0 && file !== files[n - 1]).length;
  return { files: new Set(files).size, hops };
}

/** Keeps the stack of the next call that undici gets. */
const recordStack = `{
  const { Client } = process.getBuiltinModule('node:module').createRequire(${JSON.stringify(`${root}/package.json`)})('undici');
  const { dispatch } = Client.prototype;
  Error.stackTraceLimit = 200;
  Client.prototype.dispatch = function (...args) {
    globalThis.__stack ??= new Error().stack;
    return Reflect.apply(dispatch, this, args);
  };
} 0`;

function framesIn(stack: string): number {
  const frames = [...stack.matchAll(/\/src\/([^:)]+)/g)].map(([, file = '']) => file);
  return frames.findIndex((file) => dirname(file) === 'schema/types') + 1;
}
