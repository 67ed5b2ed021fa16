import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { isInstalled, textOf } from '../support/files.ts';
import { makeFolder } from '../support/manifest.ts';

export function readUnit(name: string) {
  const text = textOf(join('deploy/systemd', name));
  return {
    text,
    valuesOf: (key: string) =>
      [...text.matchAll(new RegExp(`^${key}=(.*)$`, 'gm'))].map(([, value = '']) => value),
  };
}

/** The variables in words like `A=1 B=2`. */
export const envFrom = (words: string) =>
  Object.fromEntries(words.split(' ').map((word) => word.split(/=(.*)/s))) as Record<string, string>;

/** Tests that systemd accepts a unit under this name without a warning, and warns of one with a fault. */
export function itIsAccepted(name: string, text: string): void {
  it.skipIf(!isInstalled('systemd-analyze'))('is a unit that systemd accepts without a warning', async () => {
    const verify = async (unit: string) => {
      const file = join(await makeFolder(), name);
      await writeFile(file, unit.replace('/usr/bin/node', process.execPath));
      const { stdout, stderr } = spawnSync('systemd-analyze', ['verify', file], { encoding: 'utf8' });
      return `${stdout}${stderr}`.split('\n').filter((line) => line.includes(name.split(/[\d.]/)[0] ?? name));
    };
    expect(await verify(text)).toEqual([]);
    expect(await verify(text.replace('TimeoutStopSec=', 'TimeoutStop='))).not.toEqual([]);
  });
}
