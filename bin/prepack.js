/**
 * Before `npm pack`: puts ONNX Runtime into the package, below `vendor/onnxruntime-node`, because its own package
 * cannot be a dependency: its install script downloads GPU libraries that nobody asked for and fails the whole
 * installation where their host is out of reach. After `npm pack` (`--clean`) it goes away again.
 *
 * A tarball of 40 MB has room for two platforms and the weights: Linux on x64 (17.5 MB packed), the one where that
 * script downloads, and macOS on arm64 (12.6 MB), where most people install for themselves. On others ONNX Runtime is
 * installed beside forensics: `npm i -g onnxruntime-node`.
 */

import { cpSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const platforms = ['linux/x64', 'darwin/arm64'];

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
    cpSync(join(source, binaries), join(target, binaries), { recursive: true, filter: isNeeded });
  }
  cpSync(join(root, 'bin', 'onnxruntime'), target, { recursive: true });
  // Without scripts and dependencies: it is a folder of files now. Its own manifest keeps its files CommonJS.
  const manifest = { name, version, license, main: entry, private: true };
  writeFileSync(join(target, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
}

/** The macOS library stands there twice; the binding asks for the name without the full version. */
function isNeeded(file) {
  return !/\.\d+\.\d+\.\d+\.dylib$/.test(file);
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
