/**
 * The bill of materials of the package (CycloneDX 1.5): `node bin/sbom.js write | clean`. Before `npm pack` it is written,
 * afterwards it goes away again. It is made of package-lock.json, for `npm sbom --omit dev` leaves out what both the product
 * and a tool of development need. It holds neither time nor random number, so that packing twice gives the same tarball,
 * and what the package carries instead of depending on it: ONNX Runtime, and what the build gathered.
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
