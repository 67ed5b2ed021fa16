import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';

/* Figures that stand in two places: in two pages, or in a page and in the program. */

const root = resolve(import.meta.dirname, '..');
const textOf = (path: string) => readFileSync(join(root, path), 'utf8');
const flat = (text: string) => text.replace(/\s+/g, ' ');

/** The cells of a row in the table after `heading` of docs/performance.md: the medians, by workload. */
function medians(heading: string, row: string): Record<string, string> {
  const page = textOf('docs/performance.md');
  const section = page.slice(page.indexOf(`\n${heading}\n`));
  const cells = (pattern: string) =>
    (new RegExp(`^\\| ?${pattern} \\|(.*)\\|$`, 'm').exec(section)?.[1] ?? '')
      .split('|')
      .map((cell) => cell.trim());
  const workloads = cells('');
  const values = cells(row).map((cell) => cell.replace(/ \(.*/, ''));
  expect(values, `${heading}: ${row}`).toHaveLength(workloads.length);
  return Object.fromEntries(workloads.map((workload, n) => [workload, values[n] ?? '']));
}

const sized: [workload: string, text: string][] = [
  ['w2', 'a site with its clients: 1 REST call'],
  ['w3', 'a conversation with 3 sites: 4 REST calls'],
  ['w4', '20 sites by id: 20 REST calls'],
];

it('has in docs/sizing.md the figures of docs/performance.md; npm run codegen writes them', async () => {
  const own = 'Portico as it comes';
  const perSecond = medians('## Operations per second at saturation', own);
  const cpu = medians('## CPU microseconds per operation', own);
  const ratio = medians(
    'The same for Portico as it comes, which logs a line for each operation:',
    'hand-written handler',
  );
  const peak = medians('Peak RSS at saturation, MB:', own);
  const rows = sized.map(
    ([w, text]) => `| ${text} (${w}) | ${perSecond[w]} | ${cpu[w]} µs | ${ratio[w]} | ${peak[w]} MB |`,
  );
  const page = textOf('docs/sizing.md').replace(
    /(?<=^\|---\|---:\|---:\|---:\|---:\|\n)(\|.*\n)+/m,
    `${rows.join('\n')}\n`,
  );
  expect(page).toContain(rows.join('\n'));
  await expect(page).toMatchFileSnapshot('../docs/sizing.md');
});

it('asks of a balancer everywhere for an idle timeout of two heartbeats', () => {
  const [, ms = ''] = /HEARTBEAT_MS = ([\d_]+);/.exec(textOf('src/features/live/stream.ts')) ?? [];
  const seconds = Number(ms.replaceAll('_', '')) / 1000;
  const pages = ['docs/live.md', 'docs/scaling.md'].map((path) => flat(textOf(path)));
  for (const page of pages) {
    expect(page).toMatch(new RegExp(`idle timeouts? over ${2 * seconds} s\\b`, 'i'));
    expect(page).toMatch(new RegExp(`every ${seconds} s\\b`));
  }
  const files = ['deploy/haproxy/haproxy.cfg', 'deploy/nginx/portico.conf'];
  for (const file of files) expect(textOf(file)).toContain(`two heartbeats of a stream (${2 * seconds} s)`);
});

it('has in docs/decisions/20-our-own-graphiql.md about the size of the compressed style sheet', () => {
  const folder = join(root, 'dist/graphiql');
  const style = readdirSync(folder).find((name) => /^style-.*\.css\.gz$/.test(name)) ?? '';
  const [, kilobytes = ''] =
    /The compressed sheet is (\d+) KB/.exec(flat(textOf('docs/decisions/20-our-own-graphiql.md'))) ?? [];
  const share = (Number(kilobytes) * 1000) / readFileSync(join(folder, style)).length;
  expect(share).toBeGreaterThan(0.9);
  expect(share).toBeLessThan(1.1);
});

it('has in bench/calls/README.md the settings that the benchmark measures', () => {
  const [, block = ''] = /^const settings: .*?\{\n(.*?)^\};/ms.exec(textOf('bench/calls/main.ts')) ?? [];
  const measured = [...block.matchAll(/^ {2}'?([^':]+)'?:/gm)].map(([, name]) => name);
  const rows = textOf('bench/calls/README.md').matchAll(/^\| \d+ \| ([^|]+) \|/gm);
  expect([...rows].map(([, name]) => name)).toEqual([...measured, ...measured]);
});
