import { expect, it } from 'vitest';
import { isKnownNode } from '../../src/http/socket/node-internals.ts';
import { startProcess } from '../support/process.ts';
import { bareSite, sendJson, startUpstream } from '../support/upstream.ts';
import { openWire, postOf } from '../support/wire.ts';

const unknownNode = `Object.defineProperty(process.versions, 'node', { value: '99.0.0' });`;

/** The bytes of the responses to the same operation three times, sent over one connection in two parts; without times. */
async function exchangeWith(nodeOptions: string) {
  const upstream = await startUpstream((_, res) => sendJson(res, bareSite('SITE-1')));
  const settings = { PORT: '0', UPSTREAM_URL: upstream.url, LOG_LEVEL: 'warn', NODE_OPTIONS: nodeOptions };
  const main = await startProcess('main.ts', settings);
  const [, origin = ''] = await main.printed(/^ready at (\S+)\/graphql\n$/);
  const wire = await openWire(origin);
  const text = postOf('{ site(id: "SITE-1") { id } }').replace(/^host: .*$/m, '$&\r\nx-request-id: r');
  for (let n = 1; n <= 3; n += 1) {
    wire.write(text.slice(0, -10));
    wire.write(text.slice(-10));
    await wire.read(new RegExp(`(?:"SITE-1"[^]*){${n}}`));
  }
  main.kill('SIGTERM');
  const { stderr } = await main.exit();
  return { sent: (await wire.closed).replaceAll(/^Date: .*$|(?<=;dur=)[\d.]+/gm, ''), stderr };
}

it('sends the bytes of the documented interfaces, which another version of Node gets, with a line in the log', async () => {
  expect(isKnownNode, `Node ${process.version}`).toBe(true);
  const known = await exchangeWith('');
  const unknown = await exchangeWith(`--import=data:text/javascript,${encodeURIComponent(unknownNode)}`);
  expect(known.stderr).toBe('');
  expect(known.sent).toContain('\r\nKeep-Alive: timeout=65\r\n');
  expect(unknown.sent).toBe(known.sent);
  expect(unknown.stderr).toMatch(
    /^\{[^\n]*"msg":"Node v[\d.]+ is served by its documented interfaces[^\n]*\}\n$/,
  );
});
