import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Travels inside the package instead of being a dependency. */
const carried = 'onnxruntime-node';

/** Loaded by the carried ONNX Runtime, and named by the declarations of the library. */
const neededByOthers = ['onnxruntime-common', 'typebox'];

/** Packages of the import statements and of files that are read as data: resolve(`dejavu-fonts-ttf/ttf/...`). */
function packagesImported(): readonly string[] {
  const specifier =
    /(?:\bfrom |\bimport |\bimport\()'((?:@[\w-]+\/)?[\w-]+)|(?:\bresolve|\brequire|\bwasmOf)\([`']((?:@[\w-]+\/)?[\w-]+)\//g;
  const found = globSync('**/*.js', {
    cwd: join(root, 'dist'),
    exclude: ['console/**', 'gathered/**'],
  })
    .map((file) => readFileSync(join(root, 'dist', file), 'utf8'))
    .flatMap((text) => [...text.matchAll(specifier)].map((match) => match[1] ?? match[2]!));
  return [...new Set(found)].filter((name) => name !== 'node' && name !== 'forensics');
}

test('the package depends on exactly what the built sources import', () => {
  const { dependencies }: { dependencies: Record<string, string> } = JSON.parse(
    readFileSync(join(root, 'package.json'), 'utf8'),
  );
  const imported = packagesImported().filter((name) => name !== carried);

  expect(Object.keys(dependencies).toSorted()).toEqual([...imported, ...neededByOthers].toSorted());
});
