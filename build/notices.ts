import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './output.ts';
import type { ShippedPackage } from './packages.ts';

/** Apache-2.0 requires the NOTICE too; the third file lists what a package itself was built from. */
const noticeFile = /^(licen[cs]es?|copying|notice|thirdpartynotices?)\b/i;

/** Name, version, licence and licence text of each package, as its own files have it. */
export function noticesOf(packages: readonly ShippedPackage[]): string {
  const sections = packages.map(({ path, name, version, license }) => {
    const texts = readNotices(join(root, path));
    const text =
      texts.length > 0 ? texts.join('\n\n') : `The package has no licence text. It declares: ${license}.`;
    return `${'='.repeat(80)}\n${name} ${version}\nLicence: ${license}\n\n${text}\n`;
  });
  const head = 'Portico contains these packages, or is installed with them. sbom.cdx.json tells which.\n';
  return [head, ...sections].join('\n');
}

/** The texts in the package's folder, which does not exist for another platform. */
function readNotices(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && noticeFile.test(entry.name))
    .map(({ name }) => readFileSync(join(folder, name), 'utf8').replaceAll('\r\n', '\n').trim());
}
