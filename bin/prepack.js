/**
 * Before `npm pack`: puts ONNX Runtime into the package, below `vendor/onnxruntime-node`, because its own package
 * cannot be a dependency: its install script downloads GPU libraries that nobody asked for and fails the whole
 * installation where their host is out of reach. After `npm pack` (`--clean`) it goes away again.
 *
 * Carried are the platforms whose libraries fit into a tarball of 40 MB together with the weights: Linux on x64 and
 * arm64 (17.5 and 10.0 MB packed). On others ONNX Runtime is installed beside forensics: `npm i -g onnxruntime-node`.
 */

import { cpSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const platforms = ['linux/x64', 'linux/arm64'];

const root = fileURLToPath(new URL('..', import.meta.url));
const target = join(root, 'vendor', 'onnxruntime-node');

rmSync(join(root, 'vendor'), { recursive: true, force: true });
if (!process.argv.includes('--clean')) carry();

function carry() {
  const main = createRequire(import.meta.url).resolve('onnxruntime-node');
  const source = join(dirname(main), '..');
  const { name, version, license, main: entry, dependencies } = readManifest(source);
  checkCommon(dependencies['onnxruntime-common']);

  mkdirSync(join(target, 'dist'), { recursive: true });
  for (const file of readdirSync(join(source, 'dist'))) {
    if (!file.endsWith('.js')) continue;
    cpSync(join(source, 'dist', file), join(target, 'dist', file));
  }
  for (const platform of platforms) {
    const binaries = join('bin', 'napi-v6', platform);
    cpSync(join(source, binaries), join(target, binaries), { recursive: true });
  }
  cpSync(join(root, 'bin', 'onnxruntime'), target, { recursive: true });
  // Without scripts and dependencies: it is a folder of files now. Its own manifest keeps its files CommonJS.
  const manifest = { name, version, license, main: entry, private: true };
  writeFileSync(join(target, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
}

/** The copy loads `onnxruntime-common` as our dependency: both have to be of one version. */
function checkCommon(wanted) {
  const installed = readManifest(join(root, 'node_modules', 'onnxruntime-common')).version;
  if (installed === wanted) return;
  throw new Error(
    `onnxruntime-node wants onnxruntime-common ${wanted}, installed is ${installed}.`,
  );
}

function readManifest(folder) {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
}
