import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cycles, importsOf, moduleOf, sourceFiles, src } from './imports.ts';

/** The modules from top to bottom: each may import only from lines below its own. */
const layers = [
  ['index', 'cli', 'console'],
  ['server', 'ops'],
  ['service'],
  ['evidence', 'examiner'],
  ['render'],
  ['present', 'engine'],
  ['detectors', 'inference', 'provenance'],
  ['image', 'ports'],
  ['contract'],
  ['threads', 'version', 'waiting'],
];

/** The modules that judge a picture, which must not know rows, settings or the server. */
const heart = [
  'image',
  'provenance',
  'inference',
  'detectors',
  'engine',
  'present',
  'render',
  'examiner',
];
const outside = /^(?:ports\/(?:db|storage|network|data-folder)|contract\/(?:config|settings))\b/;

/** Packages that only certain modules may import. */
const keepers: Record<string, string> = {
  'onnxruntime-node': 'inference',
  sharp: 'image render',
  pdfkit: 'render',
  'better-sqlite3': 'ports',
  exifreader: 'image',
  'jxl-oxide-wasm': 'image',
  '@contentauth/c2pa-wasm': 'provenance',
  yauzl: 'evidence',
  canonicalize: 'evidence service console',
  minio: 'ports',
  '@azure/storage-blob': 'ports',
  undici: 'ports service cli',
  jose: 'service',
  'openid-client': 'service',
  fastify: 'server',
  'prom-client': 'server',
  commander: 'cli',
  preact: 'console',
  'preact/hooks': 'console',
  vite: 'console',
};

function layerOf(module: string): number {
  return layers.findIndex((modules) => modules.includes(module));
}

const arrows = importsOf()
  .filter(({ isPackage }) => !isPackage)
  .map(({ file, to }) => ({
    name: `${file} -> ${to}`,
    target: to,
    from: moduleOf(file),
    to: moduleOf(to),
  }))
  .filter(({ from, to }) => from !== to);

test('every module is in a layer and imports only from layers below', () => {
  expect(sourceFiles().filter((file) => layerOf(moduleOf(file)) === -1)).toEqual([]);
  expect(arrows.filter(({ from, to }) => layerOf(from) >= layerOf(to))).toEqual([]);
});

test('the modules that judge a picture import no rows, settings or server', () => {
  const strays = arrows.filter(({ from, target }) => heart.includes(from) && outside.test(target));

  expect(strays).toEqual([]);
});

test('the console, which runs in browsers, imports only the wire, texts, file headers and the comparison of pixels', () => {
  const known = ['contract', 'present'];
  const strays = arrows.filter(({ from, to }) => from === 'console' && !known.includes(to));

  const others =
    /\.css$|image\/(?:bytes|file-kind|orientation|pixels|readers)\.ts$|detectors\/thumbnail-difference\.ts$/;
  expect(strays.map(({ name }) => name).filter((name) => !others.test(name))).toEqual([]);
});

test('a restricted package is imported only by its own modules', () => {
  const strays = importsOf()
    .filter(({ to, isPackage }) => isPackage && to in keepers)
    .filter(({ file, to }) => !keepers[to]!.split(' ').includes(moduleOf(file)))
    .map(({ file, to }) => `${file} -> ${to}`);

  expect(strays).toEqual([]);
});

test('no files import each other in a cycle', () => {
  expect(cycles()).toEqual([]);
});

test('the clients of remote stores are loaded only when needed', () => {
  const value = /^import (?!type\b)[^;]*'(?:minio|@azure\/storage-blob)'/m;

  const eager = sourceFiles().filter((name) => value.test(readFileSync(join(src, name), 'utf8')));

  expect(eager).toEqual([]);
});

test('imports are recognised in the sources', () => {
  const seen = importsOf();

  expect(seen).toContainEqual({
    file: join('detectors', 'result.ts'),
    to: join('detectors', 'detector.ts'),
    isPackage: false,
    isEager: false,
  });
});
