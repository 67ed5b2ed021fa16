import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isInstalled } from './files.ts';
import { makeFolder } from './manifest.ts';

export const hasOpenssl = isInstalled('openssl', 'version');

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
