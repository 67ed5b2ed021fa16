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
