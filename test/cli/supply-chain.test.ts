/** What the package brings along: only licences and install scripts that were looked at. */

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

interface Locked {
  readonly version?: string;
  readonly license?: string;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly dev?: boolean;
  readonly hasInstallScript?: boolean;
}

function read<T>(name: string, parse: (text: string) => T): T {
  return parse(readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8'));
}

const lock: { packages: Record<string, Locked> } = read('package-lock.json', JSON.parse);
const nameOf = (path: string): string => path.replace(/^.*node_modules\//, '');
const installed = Object.entries(lock.packages).filter(([path]) => path !== '');
/** Installed by npm, or in files that the build made. */
const gathered: readonly string[] = read('dist/gathered/packages.json', JSON.parse);
const shipped = installed.filter(([path, { dev = false }]) => !dev || gathered.includes(path));

/** All allow use, also commercial, beside our own licence; LGPL for libvips and libheif, which are loaded as libraries of their own. */
const licences = [
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'ISC',
  'LGPL-3.0',
  'LGPL-3.0-or-later',
  'MIT',
  'MIT-0',
  'MPL-2.0',
];
/** Their files say so, not their description. */
const licencesRead: Readonly<Record<string, string>> = {
  'dejavu-fonts-ttf': 'Bitstream Vera, free to use and to embed',
  'png-js': 'MIT',
};
/** None of them runs: `allowScripts` in package.json forbids it, or the package is of development only. */
const withInstallScript = ['cbor-extract', 'exifreader', 'node', 'onnxruntime-node'];

test('every package that is shipped has a licence from the list', () => {
  const others = shipped.filter(([path, { license }]) => {
    if (license === undefined || license.startsWith('SEE ')) return !(nameOf(path) in licencesRead);
    return !license
      .replace(/[()]/g, '')
      .split(/ (?:AND|OR) /)
      .every((one) => licences.includes(one));
  });

  expect(shipped.length).toBeGreaterThan(100);
  expect(others.map(([path, { license }]) => [nameOf(path), license])).toEqual([]);
});

test('no package beyond the list brings a script that runs when it is installed', () => {
  const found = installed.filter(([, { hasInstallScript = false }]) => hasInstallScript);
  const { allowScripts }: { allowScripts: Record<string, boolean> } = read(
    'package.json',
    JSON.parse,
  );
  const allowed = Object.entries(allowScripts).flatMap(([name, isAllowed]) =>
    isAllowed ? [name] : [],
  );

  expect([...new Set(found.map(([path]) => nameOf(path)))].toSorted()).toEqual(withInstallScript);
  expect(allowed).toEqual(['node']);
});

test('every package that is shipped is pinned by the hash of its content', () => {
  const loose = shipped.filter(([, { integrity }]) => integrity === undefined);

  expect(loose.map(([path]) => path)).toEqual([]);
});
