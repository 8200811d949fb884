/**
 * Run after compiling: `node bin/gather.js`. Bundles the used parts of every package that is
 * JavaScript only into a few files in `dist/gathered`, and points the compiled sources there. When
 * they were installed separately, these packages were 190 with 120 MB, and a command spent most of
 * its start-up on finding their files. They are `devDependencies`.
 */

import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

/** They have libraries, WebAssembly, fonts or pages as separate files; the last appears in an example. */
const installed =
  /^(?:@contentauth\/c2pa-wasm|@cornerstonejs\/codec-openjpeg|@embedpdf\/pdfium|@fastify\/swagger-ui|better-sqlite3|dejavu-fonts-ttf|jxl-oxide-wasm|libheif-js|onnxruntime-common|onnxruntime-node|sharp|forensics)(?:\/|$)/;

const specifier =
  /(?<before>\bfrom |\bimport\(|^import |\bloadModule\()["'](?<name>(?:@[\w-]+\/)?[a-z][\w/-]*)["']/gm;

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = join(root, 'dist');
const target = join(dist, 'gathered');

// Otherwise, the process that examines pictures would spend a twentieth of its time on loading 150 of our files. The
// parts are as deep as the sources, because some of these find files relative to themselves.
const examiner = await rolldown({
  input: ['child-main', 'locator-worker'].map((name) => join(dist, 'examiner', `${name}.js`)),
  platform: 'node',
  external: /^[@a-z]/,
});
await examiner.write({
  dir: dist,
  entryFileNames: 'examiner/[name].js',
  chunkFileNames: 'examining/[name].js',
  comments: false,
});

const texts = new Map(
  globSync('**/*.js', { cwd: dist, exclude: ['console/**', 'gathered/**'] }).map((file) => [
    file,
    readFileSync(join(dist, file), 'utf8'),
  ]),
);
// @peculiar/x509 needs it.
await import('reflect-metadata');
const names = [...texts.values()]
  .flatMap((text) => [...text.matchAll(specifier)].map(({ groups }) => groups.name))
  .filter((name) => !installed.test(name));
const bundle = await rolldown({
  input: Object.fromEntries(names.map((name) => [name, entryOf(name)])),
  plugins: [{ name: 'entries', resolveId: asEntry, load: exportsOf }],
  platform: 'node',
  external: [installed, 'pg-native'],
  cwd: root,
});
const { output } = await bundle.write({ dir: target, cleanDir: true });

for (const [file, text] of texts) {
  const found = text.replaceAll(specifier, (whole, before, name) => {
    if (installed.test(name)) return whole;
    const path = relative(dirname(join(dist, file)), join(target, `${name}.js`));
    return `${before}'./${path.replaceAll('\\', '/')}'`;
  });
  if (found !== text) writeFileSync(join(dist, file), found);
}

const folders = foldersOf(output);
writeFileSync(join(target, 'LICENSES.txt'), folders.map(licenceIn).join('\n\n'));
// With the names from package-lock.json, for the SBOM.
writeFileSync(join(target, 'packages.json'), `${JSON.stringify(folders, null, 2)}\n`);

/**
 * A module with the named exports that Node.js finds in the package: a CommonJS module would
 * otherwise have only a default export.
 */
function entryOf(name) {
  return join(root, 'entries', `${name}.mjs`);
}

function asEntry(id, importer) {
  return importer === undefined ? id : null;
}

async function exportsOf(id) {
  const name = names.find((one) => entryOf(one) === id);
  if (name === undefined) return null;
  const exported = Object.keys(await import(name)).filter((each) => each !== 'module.exports');
  return `export { ${exported.join(', ')} } from '${name}';`;
}

/** Folders, relative to the root, of every package that is at least partly bundled. */
function foldersOf(chunks) {
  const modules = chunks.flatMap((chunk) => Object.keys(chunk.modules));
  const found = modules.map((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0]);
  return [...new Set(found)]
    .filter((folder) => folder !== undefined)
    .map((folder) => relative(root, folder).replaceAll('\\', '/'))
    .toSorted((one, other) => one.localeCompare(other, 'en'));
}

function licenceIn(folder) {
  const path = join(root, folder);
  const { name, version, license } = JSON.parse(readFileSync(join(path, 'package.json')));
  const [file] = globSync('{licen[cs]e,LICEN[CS]E}*', { cwd: path });
  const text = file === undefined ? '' : readFileSync(join(path, file), 'utf8');
  return `${name} ${version}: ${license}\n\n${text}`;
}
