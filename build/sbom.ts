import manifest from '../package.json' with { type: 'json' };
import type { ShippedPackage } from './packages.ts';

/**
 * The bill of materials of the programs and the page, in CycloneDX 1.6 as JSON. Without a timestamp and a serial number,
 * so that equal builds are equal. `npm sbom` lists what is installed, and not what is bundled.
 */
export function sbomOf(packages: readonly ShippedPackage[]): string {
  const { name, version } = manifest;
  const application = { 'bom-ref': name, type: 'application', name, version, purl: purlOf(name, version) };
  const components = packages.map(({ path, name, version, license, isBundled, isOptional, integrity }) => ({
    'bom-ref': path,
    type: 'library',
    name,
    version,
    scope: isOptional ? 'optional' : 'required',
    ...(integrity && { hashes: [hashOf(integrity)] }),
    licenses: [/^[\w.+() -]+$/.test(license) ? { expression: license } : { license: { name: license } }],
    purl: purlOf(name, version),
    properties: [{ name: 'portico:bundled', value: String(isBundled) }],
  }));
  const dependencies = packages.map(({ path, dependencies }) => ({ ref: path, dependsOn: dependencies }));
  const bom = { bomFormat: 'CycloneDX', specVersion: '1.6', version: 1 };
  return JSON.stringify({ ...bom, metadata: { component: application }, components, dependencies }, null, 1);
}

/** package-url: the `@` of a scope is percent-encoded. */
function purlOf(name: string, version: string): string {
  return `pkg:npm/${name.replace('@', '%40')}@${encodeURIComponent(version)}`;
}

/** From Subresource Integrity, `sha512-` and base 64. */
function hashOf(integrity: string) {
  return {
    alg: 'SHA-512',
    content: Buffer.from(integrity.slice('sha512-'.length), 'base64').toString('hex'),
  };
}
