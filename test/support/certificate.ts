import { execFileSync, spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from './manifest.ts';

export const hasOpenssl = spawnSync('openssl', ['version']).status === 0;
if (!hasOpenssl) console.warn('skipped: no openssl to make a certificate with');

/** A PEM file with a key and its self-signed certificate. */
export async function makeCertificate(): Promise<string> {
  const file = join(await makeFolder(), 'portico.pem');
  const options = 'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=localhost';
  const made = execFileSync('openssl', [...options.split(' '), '-keyout', '-', '-out', '-'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  await writeFile(file, made);
  return file;
}
