/**
 * ONNX Runtime in the package and in the checkout: `node bin/onnxruntime.js carry | clean | prune`.
 *
 * Before `npm pack` (`carry`): copies it into the package, below `vendor/onnxruntime-node`. Its own package cannot be a
 * dependency, because its install script downloads GPU libraries that are not needed, and makes the whole installation
 * fail if their host cannot be reached. After `npm pack` (`clean`): removes it again.
 *
 * A tarball of 40 MB has room for two platforms and the weights: Linux on x64 (17.5 MB packed), the one where that
 * script downloads, and macOS on arm64 (12.6 MB), where most people install for their own use. On others ONNX Runtime is
 * installed next to forensics: `npm i -g onnxruntime-node`.
 *
 * After `npm ci` (`prune`): its package contains the libraries of every platform, 288 MB. Those that neither this machine
 * nor the tarball needs are deleted: 159 MB on Linux.
 */

import {
  cpSync,
  globSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const platforms = ['linux/x64', 'darwin/arm64'];

const root = fileURLToPath(new URL('..', import.meta.url));
const installed = join(root, 'node_modules', 'onnxruntime-node');
const target = join(root, 'vendor', 'onnxruntime-node');
const binaries = join('bin', 'napi-v6');

const [, , verb] = process.argv;
if (verb === 'prune') {
  prune();
} else {
  rmSync(join(root, 'vendor'), { recursive: true, force: true });
  if (verb === 'carry') carry();
}

function prune() {
  const kept = new Set([...platforms, `${process.platform}/${process.arch}`]);
  for (const platform of globSync('*/*', { cwd: join(installed, binaries) })) {
    if (kept.has(platform.replace('\\', '/'))) continue;
    rmSync(join(installed, binaries, platform), { recursive: true });
  }
}

function carry() {
  const { name, version, license, main, dependencies } = readManifest(installed);
  checkCommon(dependencies['onnxruntime-common']);

  mkdirSync(join(target, 'dist'), { recursive: true });
  for (const file of readdirSync(join(installed, 'dist'))) {
    if (!file.endsWith('.js')) continue;
    cpSync(join(installed, 'dist', file), join(target, 'dist', file));
  }
  for (const platform of platforms) {
    const folder = join(binaries, platform);
    cpSync(join(installed, folder), join(target, folder), { recursive: true, filter: isNeeded });
  }
  cpSync(join(root, 'bin', 'onnxruntime'), target, { recursive: true });
  // Without scripts and dependencies, since it is only a folder of files now. With a manifest of
  // its own, its files stay CommonJS.
  const manifest = { name, version, license, main, private: true };
  writeFileSync(join(target, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
}

/** The macOS library is there twice; the binding loads the one without the full version. */
function isNeeded(file) {
  return !/\.\d+\.\d+\.\d+\.dylib$/.test(file);
}

/** The copy loads our dependency `onnxruntime-common`, so both must have the same version. */
function checkCommon(wanted) {
  const { version } = readManifest(join(root, 'node_modules', 'onnxruntime-common'));
  if (version === wanted) return;
  throw new Error(`onnxruntime-node wants onnxruntime-common ${wanted}, installed is ${version}.`);
}

function readManifest(folder) {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
}
