/**
 * After the sources are compiled: `node bin/gather.js`. Puts packages of hundreds of small files into a few large ones, below
 * `dist/gathered`, where `forensics.js` finds them: most of what a command needs to start is the search for files.
 */

import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const specifiers = [
  '@peculiar/x509',
  'drizzle-orm',
  'drizzle-orm/sqlite-core',
  'drizzle-orm/sqlite-proxy',
  'typebox',
  'typebox/compile',
  'typebox/value',
];

const root = fileURLToPath(new URL('..', import.meta.url));
const target = join(root, 'dist', 'gathered');

const bundle = await rolldown({
  input: Object.fromEntries(specifiers.map((name) => [name, name])),
  platform: 'node',
  // Where a package has no `exports`, its modules instead of its CommonJS.
  resolve: { mainFields: ['module', 'main'] },
  cwd: root,
});
const { output } = await bundle.write({ dir: target, cleanDir: true });
writeFileSync(join(target, 'LICENSES.txt'), licencesOf(output));

/** Of every package a part of which was gathered. */
function licencesOf(chunks) {
  const modules = chunks.flatMap((chunk) => Object.keys(chunk.modules));
  const folders = modules.map((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0]);
  return [...new Set(folders)]
    .filter((folder) => folder !== undefined)
    .toSorted((one, other) => one.localeCompare(other, 'en'))
    .map((folder) => {
      const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json')));
      const [file] = globSync('{licen[cs]e,LICEN[CS]E}*', { cwd: folder });
      const text = file === undefined ? '' : readFileSync(join(folder, file), 'utf8');
      return `${name} ${version}: ${license}\n\n${text}`;
    })
    .join('\n\n');
}
