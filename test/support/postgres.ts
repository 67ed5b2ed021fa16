import { randomBytes } from 'node:crypto';
import { userInfo } from 'node:os';
import { Client } from 'pg';
import { onTestFinished } from 'vitest';

const address = process.env.TEST_DATABASE_URL || `postgres://${userInfo().username}@127.0.0.1:5432/postgres`;

/** Whether a Postgres is reachable; warns if not. */
export const hasPostgres = await isReachable();

/** A new database, which is dropped after the test with its roles. */
export async function freshPostgresUrl(): Promise<string> {
  const { url, drop } = await makePostgres();
  onTestFinished(drop);
  return url;
}

/** The same, with an owner that is not a superuser, as in production. */
export async function freshOwnedUrl(): Promise<string> {
  const url = new URL(await freshPostgresUrl());
  const name = url.pathname.slice(1);
  const owner = `${name}_owner`;
  await queryPostgres(url.href, `create role ${owner} login createrole password 'x'`);
  await queryPostgres(url.href, `alter database ${name} owner to ${owner}`);
  await queryPostgres(url.href, `alter schema public owner to ${owner}`);
  url.username = owner;
  url.password = 'x';
  return url.href;
}

/** A new database, and a function that drops it. */
export async function makePostgres(): Promise<{ url: string; drop: () => Promise<void> }> {
  const name = `reference_test_${randomBytes(6).toString('hex')}`;
  await queryPostgres(address, `create database ${name}`);
  const url = new URL(address);
  url.pathname = `/${name}`;
  const drop = async () => {
    await queryPostgres(address, `drop database ${name} with (force)`);
    await queryPostgres(address, `drop role if exists ${name}_reader, ${name}_owner`);
  };
  return { url: url.href, drop };
}

/** Runs SQL on a connection of its own. */
export async function queryPostgres(url: string, sql: string): Promise<unknown[]> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

async function isReachable(): Promise<boolean> {
  try {
    await queryPostgres(address, 'select 1');
    return true;
  } catch {
    console.warn('no Postgres at TEST_DATABASE_URL or 127.0.0.1:5432: its tests are skipped');
    return false;
  }
}
