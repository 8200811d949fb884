/**
 * The bill of materials of the package, CycloneDX as npm writes it: `node bin/sbom.js write | clean`. Before `npm pack` it
 * is written, afterwards it goes away again. Without the time and the random number that npm adds, so that packing twice
 * gives the same tarball, and with ONNX Runtime, which the package carries instead of depending on it.
 */

import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const target = join(root, 'sbom.cdx.json');

const [, , verb] = process.argv;
if (verb === 'write') writeFileSync(target, `${JSON.stringify(billOfMaterials(), null, 2)}\n`);
else rmSync(target, { force: true });

function billOfMaterials() {
  const options = ['--sbom-format', 'cyclonedx', '--package-lock-only', '--omit', 'dev'];
  const printed = execFileSync('npm', ['sbom', ...options], { cwd: root, encoding: 'utf8' });
  const { serialNumber: _random, metadata, components, ...rest } = JSON.parse(printed);
  const { timestamp: _now, component, ...lasting } = metadata;
  const { name } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  return {
    ...rest,
    // npm takes the name of the folder.
    metadata: { ...lasting, component: { ...component, name } },
    components: [...components, carried('onnxruntime-node')],
  };
}

function carried(name) {
  const file = join(root, 'node_modules', name, 'package.json');
  const { version, license } = JSON.parse(readFileSync(file, 'utf8'));
  return {
    'bom-ref': `${name}@${version}`,
    type: 'library',
    name,
    version,
    scope: 'required',
    purl: `pkg:npm/${name}@${version}`,
    licenses: [{ license: { id: license } }],
  };
}
