import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Travels inside the package instead of being a dependency. */
const carried = 'onnxruntime-node';

/** What the carried ONNX Runtime loads without saying so. */
const loadedByOthers = ['onnxruntime-common'];

function packagesImported(): readonly string[] {
  const files = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' });
  const texts = files
    // The console is built into files that import nothing.
    .filter((name) => name.endsWith('.ts') && !name.startsWith('console/'))
    .map((name) => readFileSync(join(root, 'src', name), 'utf8'));
  // Imports, and files of packages that are read as data: resolve(`dejavu-fonts-ttf/ttf/...`).
  const specifier =
    /(?:\bfrom |\bimport |\bimport\()'((?:@[\w-]+\/)?[\w-]+)|\b(?:resolve|require)\([`']((?:@[\w-]+\/)?[\w-]+)\//g;
  const found = texts.flatMap((text) =>
    [...text.matchAll(specifier)].map((match) => match[1] ?? match[2]!),
  );
  return [...new Set(found)].filter((name) => name !== 'node' && name !== 'forensics').toSorted();
}

test('the package depends on exactly what its sources import', () => {
  const { dependencies }: { dependencies: Record<string, string> } = JSON.parse(
    readFileSync(join(root, 'package.json'), 'utf8'),
  );
  const imported = packagesImported().filter((name) => name !== carried);

  expect(Object.keys(dependencies).toSorted()).toEqual(
    [...new Set([...imported, ...loadedByOthers])].toSorted(),
  );
});
