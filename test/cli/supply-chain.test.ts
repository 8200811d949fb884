/** What the package ships: only reviewed licences and install scripts. */

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
/** Installed by npm, or bundled into files by the build. */
const gathered: readonly string[] = read('dist/gathered/packages.json', JSON.parse);
const shipped = installed.filter(([path, { dev = false }]) => !dev || gathered.includes(path));

/**
 * All permit use, including commercial use, alongside our licence; LGPL for libvips and libheif,
 * which are loaded as separate libraries.
 */
const licences =
  '0BSD Apache-2.0 BlueOak-1.0.0 BSD-2-Clause BSD-3-Clause ISC LGPL-3.0 LGPL-3.0-or-later MIT MIT-0 MPL-2.0';
/** Stated in their files rather than in package.json. */
const licencesRead: Readonly<Record<string, string>> = {
  'dejavu-fonts-ttf': 'Bitstream Vera, free to use and to embed',
  'png-js': 'MIT',
};
/** None of them runs: `allowScripts` in package.json forbids it, or the package is used in development only. */
const withInstallScript = ['cbor-extract', 'exifreader', 'node', 'onnxruntime-node'];

test('every shipped package has an allowed licence', () => {
  const others = shipped.filter(([path, { license }]) => {
    if (license === undefined || license.startsWith('SEE ')) return !(nameOf(path) in licencesRead);
    return !license
      .replace(/[()]/g, '')
      .split(/ (?:AND|OR) /)
      .every((one) => licences.split(' ').includes(one));
  });

  expect(shipped.length).toBeGreaterThan(100);
  expect(others.map(([path, { license }]) => [nameOf(path), license])).toEqual([]);
});

test('only listed packages have an install script', () => {
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

test('every shipped package is pinned by a content hash', () => {
  const loose = shipped.filter(([, { integrity }]) => integrity === undefined);

  expect(loose.map(([path]) => path)).toEqual([]);
});
