import { describe, expect, it } from 'vitest';
import { type GeneratedData, generatedLines } from '../../../reference/data/generated.ts';
import { createStore } from '../../../reference/database/store.ts';
import { conversation as uuid } from '../../support/upstream.ts';
import { engines, freshDatabasePath, onEngines, openDatabase, openSeeded } from '../support/database.ts';
import { conversationLine, importLines, siteLine, storedLines } from '../support/ndjson.ts';

const { freshUrl } = engines[0];

onEngines('an import on', (freshUrl) => {
  it('restore every byte of the demo data', async () => {
    const lines = await storedLines(await openSeeded(`file:${await freshDatabasePath()}`));
    const db = await openDatabase(await freshUrl());
    expect(await importLines(db, lines)).toEqual({ sites: 65, conversations: 12 });
    expect(await storedLines(db)).toEqual(lines);
  });

  it('replace existing objects; of repeated lines the last wins', async () => {
    const db = await openDatabase(await freshUrl());
    await importLines(db, [siteLine('acme', 'SITE-1', { sla: 1 }), conversationLine('acme', uuid)]);
    const later = [siteLine('acme', 'SITE-1', { sla: 3 }), conversationLine('acme', uuid, { subject: 'b' })];
    await importLines(db, [
      siteLine('acme', 'SITE-1', { sla: 2 }),
      conversationLine('acme', uuid.toUpperCase(), { subject: 'a' }),
      ...later,
      siteLine('globex', 'SITE-1', { sla: 4 }),
    ]);
    expect(await storedLines(db)).toEqual([...later, siteLine('globex', 'SITE-1', { sla: 4 })]);
    expect(await createStore(db).readSite('acme', 'SITE-1', new Set())).toContain('"sla":3');
  });

  it('replace all of a partner that the file has, and nothing of another', async () => {
    const db = await openDatabase(await freshUrl());
    const kept = [siteLine('globex', 'SITE-1'), conversationLine('globex', uuid)];
    const old = Array.from({ length: 300 }, (_, n) => siteLine('acme', `SITE-${n}`, { sla: 1 }));
    await importLines(db, [...old, conversationLine('acme', uuid), ...kept]);
    // More than one insert, so that a deletion that comes late would take rows of the file.
    const lines = Array.from({ length: 600 }, (_, n) => siteLine('acme', `SITE-${1000 + n}`, { sla: 2 }));
    expect(await importLines(db, lines, { replace: true })).toMatchObject({ sites: 600 });
    expect(await storedLines(db)).toEqual([...lines, ...kept]);
    await expect(importLines(db, [siteLine('acme', 'SITE-1'), '{'], { replace: true })).rejects.toThrow(
      'nothing imported',
    );
    expect(await storedLines(db)).toEqual([...lines, ...kept]);
  });
});

const bad: [line: string | Buffer, fault: RegExp][] = [
  ['{"partner":"acme"', /^not JSON$/],
  ['null', /expected object/],
  ['{}', /^kind: /],
  [siteLine('', 'SITE-1'), /^partner: must be 1 to 64 letters, /],
  [siteLine('a b', 'SITE-1'), /^partner: /],
  [siteLine('x'.repeat(65), 'SITE-1'), /^partner: /],
  [siteLine('acme', 'PROP-1'), /^site\.id: must be SITE-/],
  [siteLine('acme', 'SITE-\u0000'), /^site\.id: /],
  [siteLine('acme', 'SITE-1').replace('SITE-1', 'SITE-\\ud800'), /^site\.id: /],
  [siteLine('acme', 'SITE-1', { zip: 98403 }), /^site\.zip: .*expected string/],
  [siteLine('acme', 'SITE-1', { colour: 'red' }), /^site: Unrecognized key: "colour"$/],
  [siteLine('acme', 'SITE-1', { serviceLevel: 'Gold' }), /^site\.serviceLevel: /],
  [siteLine('acme', 'SITE-1').replace('"zip":null', '"__proto__":{}'), /site\.zip: .*__proto__/],
  [siteLine('acme', 'SITE-1').replace('[]', '[{"id":1}]'), /^clients\.0\.id: /],
  [
    siteLine('acme', 'SITE-1').replace('[]', '[{"emails":[{"value":"a@@mail.example"}]}]'),
    /^clients\.0\.emails\.0\.value: Invalid email address$/,
  ],
  [siteLine('acme', 'SITE-1', { '\u001b[2J': 1 }), /^site: Unrecognized key: "\?\[2J"$/],
  [conversationLine('acme', 'x'), /^id: must be a UUID$/],
  [conversationLine('acme', uuid, { messages: [{ text: 1 }] }), /^context\.messages\.0\.text: /],
];

it('reports every bad line of an import with its number and fault, without its values', async () => {
  const db = await openDatabase(await freshUrl());
  const reported: [number, string][] = [];
  const onBad = (line: number, fault: string) => void reported.push([line, fault]);
  const importing = importLines(db, [siteLine('acme', 'SITE-1'), '', ...bad.map(([line]) => line)], {
    onBad,
  });
  await expect(importing).rejects.toThrow(`nothing imported: ${bad.length} bad lines`);
  expect(reported.map(([line]) => line)).toEqual(bad.map((_, n) => n + 3));
  for (const [n, [line, fault]] of bad.entries()) {
    expect(reported[n]?.[1], String(line).slice(0, 100)).toMatch(fault);
  }
  expect(JSON.stringify(reported)).not.toMatch(/98403|PROP-1|Gold|red/);
  expect(await storedLines(db)).toEqual([]);
});

describe('generated data', () => {
  const generated = (changes: Partial<GeneratedData> = {}) => [
    ...generatedLines({ sites: 300, conversations: 40, seed: 1, siteIdPrefix: 'SITE', ...changes }),
  ];

  it('is valid, and all that it names exists', async () => {
    const db = await openDatabase(await freshUrl());
    const lines = generated().map((line) => line.trimEnd());
    expect(await importLines(db, lines)).toEqual({ sites: 300, conversations: 40 });
    const ids = new Set(lines.slice(0, 300).map((line) => JSON.parse(line).site.id));
    expect(ids.size).toBe(300);
    for (const line of lines.slice(300)) {
      const { sites } = JSON.parse(line).context;
      expect(sites.length).toBeGreaterThan(0);
      for (const { id } of sites) expect(ids).toContain(id);
    }
  });

  it('is the same for the same numbers, and other data for another seed', () => {
    expect(generated()).toEqual(generated());
    expect(generated({ sites: 200, conversations: 0 })).toEqual(generated().slice(0, 200));
    const other = new Set(generated({ seed: 2 }));
    expect(generated().filter((line) => other.has(line))).toEqual([]);
    expect(generated({ sites: 0, conversations: 2 })).toHaveLength(2);
    expect(generated({ siteIdPrefix: 'PROP' })[0]).toContain('"id":"PROP-1001"');
  });
});
