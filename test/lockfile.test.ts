import { expect, it } from 'vitest';
import { textOf } from './support/files.ts';

interface Locked {
  version?: string;
  resolved?: string;
  /** A workspace. */
  link?: boolean;
  hasInstallScript?: boolean;
  dev?: boolean;
}

function readLocked(path: string): Record<string, Locked> {
  const text = textOf(path);
  return (JSON.parse(text) as { packages: Record<string, Locked> }).packages;
}

const packages = readLocked('package-lock.json');

/** Below these, a request can stall or crash the process. */
const floors = { graphql: '16.15.0', 'graphql-yoga': '5.24.1', undici: '7.30.2' };

function isBelow(version: string, floor: string): boolean {
  const [a, b] = [version, floor].map((text) => text.split('.').map(Number));
  const differing = a?.findIndex((part, index) => part !== b?.[index]) ?? -1;
  return differing >= 0 && (a?.[differing] ?? 0) < (b?.[differing] ?? 0);
}

it.each(Object.entries(floors))('locks %s at %s or later, wherever it is installed', (name, floor) => {
  const copies = Object.entries(packages).filter(([path]) => path.endsWith(`node_modules/${name}`));
  expect(copies.length).toBeGreaterThan(0);
  expect(copies.filter(([, { version = '0' }]) => isBelow(version, floor))).toEqual([]);
});

it('names no registry', () => {
  const named = Object.entries(packages).filter(([, { resolved, link }]) => resolved !== undefined && !link);
  expect(named).toEqual([]);
});

it('runs no install script in production', () => {
  const scripted = Object.entries(packages).filter(
    ([, { hasInstallScript, dev }]) => hasInstallScript && !dev,
  );
  expect(scripted).toEqual([]);
});
