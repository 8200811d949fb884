/**
 * The SBOM of the package (CycloneDX 1.5): `node bin/sbom.js write | clean`. It is written before
 * `npm pack` and removed afterwards. It is made from package-lock.json, because `npm sbom --omit
 * dev` leaves out what both the product and a development tool need. It contains neither times nor
 * random numbers, so that packing twice gives the same tarball. It includes what the package
 * contains instead of depending on: ONNX Runtime, and the bundled packages.
 */

import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const target = join(root, 'sbom.cdx.json');

const [, , verb] = process.argv;
if (verb === 'write') writeFileSync(target, `${JSON.stringify(billOfMaterials(), null, 2)}\n`);
else rmSync(target, { force: true });

function billOfMaterials() {
  const file = join(root, 'package-lock.json');
  const { name, version, packages } = JSON.parse(readFileSync(file, 'utf8'));
  const gathered = join(root, 'dist', 'gathered', 'packages.json');
  const carried = ['node_modules/onnxruntime-node', ...JSON.parse(readFileSync(gathered, 'utf8'))];
  const components = new Map();
  for (const [path, entry] of Object.entries(packages)) {
    const isTool = entry.dev === true && !carried.includes(path);
    if (path === '' || isTool) continue;
    const component = componentOf(path.split('node_modules/').at(-1), entry);
    components.set(component.purl, component);
  }
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    version: 1,
    metadata: { component: { type: 'application', name, version, purl: purlOf(name, version) } },
    components: [...components.values()],
  };
}

function componentOf(name, { version, license, integrity, optional }) {
  const [, digest] = integrity.split('sha512-');
  const content = Buffer.from(digest, 'base64').toString('hex');
  return {
    'bom-ref': purlOf(name, version),
    type: 'library',
    name,
    version,
    scope: optional === true ? 'optional' : 'required',
    purl: purlOf(name, version),
    hashes: [{ alg: 'SHA-512', content }],
    licenses: license === undefined ? [] : [{ expression: license }],
  };
}

function purlOf(name, version) {
  return `pkg:npm/${name.replace('@', '%40')}@${version}`;
}
