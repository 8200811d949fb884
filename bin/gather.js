/**
 * After the sources are compiled: `node bin/gather.js`. Puts every package that is JavaScript alone into a few files below
 * `dist/gathered`, with what is used of it, and points the compiled sources there: installed, these packages were 190 with
 * 120 MB, and most of what a command needs to start was the search for their files. They are `devDependencies`.
 */

import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

/** They have libraries, WebAssembly, fonts or pages as files of their own; the last stands in an example. */
const installed =
  /^(?:@contentauth\/c2pa-wasm|@cornerstonejs\/codec-openjpeg|@embedpdf\/pdfium|@fastify\/swagger-ui|better-sqlite3|dejavu-fonts-ttf|jxl-oxide-wasm|libheif-js|onnxruntime-common|onnxruntime-node|sharp|forensics)(?:\/|$)/;

const specifier =
  /(?<before>\bfrom |\bimport\(|^import |\bloadModule\()'(?<name>(?:@[\w-]+\/)?[a-z][\w/-]*)'/gm;

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = join(root, 'dist');
const target = join(dist, 'gathered');

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
// As package-lock.json names them, for the bill of materials.
writeFileSync(join(target, 'packages.json'), `${JSON.stringify(folders, null, 2)}\n`);

/** A module that exports by name what Node.js finds in the package: what is written as CommonJS has a default export alone. */
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

/** Of every package a part of which was gathered, below the root. */
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
