import { Enums, Models, Serialize, SPDX, Spec } from '@cyclonedx/cyclonedx-library';
import manifest from '../package.json' with { type: 'json' };
import type { ShippedPackage } from './packages.ts';

/**
 * The bill of materials of the programs and the page, in CycloneDX 1.6 (ECMA-424) as JSON. Without a
 * timestamp and a serial number, so that equal builds are equal.
 */
export function sbomOf(packages: readonly ShippedPackage[]): string {
  const bom = new Models.Bom();
  const portico = componentOf({ ...manifest, isOptional: false });
  portico.type = Enums.ComponentType.Application;
  bom.metadata.component = portico;
  const components = new Map(packages.map((found) => [found.path, componentOf(found)]));
  const direct = { ...manifest.dependencies, ...manifest.devDependencies };
  for (const { path, isBundled, dependencies } of packages) {
    const component = components.get(path) as Models.Component;
    component.properties.add(new Models.Property('portico:bundled', String(isBundled)));
    if (path.replace('node_modules/', '') in direct) portico.dependencies.add(component.bomRef);
    for (const dependency of dependencies.flatMap((path) => components.get(path) ?? []))
      component.dependencies.add(dependency.bomRef);
    bom.components.add(component);
  }
  const serializer = new Serialize.JSON.Normalize.Factory(Spec.Spec1dot6);
  return new Serialize.JsonSerializer(serializer).serialize(bom, { sortLists: true, space: 1 });
}

type Described = Pick<ShippedPackage, 'name' | 'version' | 'license' | 'isOptional' | 'integrity'> & {
  path?: string;
};

/** Its reference is the path, because the same version can be installed twice with other dependencies. */
function componentOf({ name, version, license, isOptional, integrity, path = name }: Described) {
  const [, group, ownName = name] = /^(@[^/]+)\/(.+)$/.exec(name) ?? [];
  const component = new Models.Component(Enums.ComponentType.Library, ownName, {
    bomRef: path,
    version,
    // package-url: the `@` of a scope is percent-encoded.
    purl: `pkg:npm/${name.replace('@', '%40')}@${encodeURIComponent(version)}`,
    scope: isOptional ? Enums.ComponentScope.Optional : Enums.ComponentScope.Required,
    licenses: new Models.LicenseRepository([licenseOf(license)]),
  });
  if (group) component.group = group;
  const [, digest] = /^sha512-(\S+)$/.exec(integrity ?? '') ?? [];
  if (digest)
    component.hashes.set(Enums.HashAlgorithm['SHA-512'], Buffer.from(digest, 'base64').toString('hex'));
  return component;
}

function licenseOf(declared: string): Models.License {
  if (SPDX.isSupportedSpdxId(declared)) return new Models.SpdxLicense(declared);
  return / (AND|OR|WITH) /.test(declared)
    ? new Models.LicenseExpression(declared)
    : new Models.NamedLicense(declared);
}
