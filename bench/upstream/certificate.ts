import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { scratchFolder } from '../processes/scratch.ts';

/** The files of a self-signed certificate for 127.0.0.1. */
export interface Certificate {
  certificateFile: string;
  keyFile: string;
}

/** Creates a certificate with openssl; undefined if openssl is missing. */
export function createCertificate(): Certificate | undefined {
  const folder = scratchFolder();
  const certificateFile = join(folder, 'certificate.pem');
  const keyFile = join(folder, 'key.pem');
  const { status } = spawnSync('openssl', [
    ...['req', '-x509', '-nodes', '-days', '2', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'],
    ...['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1'],
    ...['-keyout', keyFile, '-out', certificateFile],
  ]);
  return status === 0 ? { certificateFile, keyFile } : undefined;
}
