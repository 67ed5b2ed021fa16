import Sqlite from 'libsql';
import { expect, it, onTestFinished } from 'vitest';
import { createStatements } from '../../../reference/database/statements.ts';
import { freshPath } from '../support/database.ts';

async function startPair() {
  const path = await freshPath('statements.db');
  const [first, second] = [new Sqlite(path), new Sqlite(path)];
  first.exec('pragma journal_mode = wal; create table letters (letter text primary key)');
  const statements = createStatements(first);
  onTestFinished(() => {
    statements.close();
    second.close();
  });
  return { statements, second };
}

it('prepared statements are reused for the same text, up to the hundred used last', async () => {
  const { statements } = await startPair();
  const textOf = (n: number) => `select ${n}`;
  const [used, unused] = [statements.prepare(textOf(0)), statements.prepare(textOf(1))];
  for (let n = 2; n <= 150; n += 1) {
    statements.prepare(textOf(n));
    expect(statements.prepare(textOf(0))).toBe(used);
  }
  expect(statements.prepare(textOf(1))).not.toBe(unused);
});

it.each([
  ['insert into letters (letter) values (?)', ['b']],
  ['begin immediate', []],
])('statements that fail on the lock (%s) do not pin an old state', async (text, parameters) => {
  const { statements, second } = await startPair();
  const read = statements.prepare('select letter from letters order by letter');
  const write = statements.prepare(text);
  second.exec("begin immediate; insert into letters values ('a')");
  expect(() => write.run(parameters)).toThrow('locked');
  expect(read.all([])).toEqual([]);
  second.exec('commit');
  expect(read.all([])).toEqual([{ letter: 'a' }]);
  second.exec("insert into letters values ('c')");
  expect(read.all([])).toEqual([{ letter: 'a' }, { letter: 'c' }]);
  write.run(parameters);
});
