import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cycles, importsOf, roomOf, sourceFiles, src } from './imports.ts';

/** The rooms from top to bottom: each may import only what stands in a line below its own. */
const floors = [
  ['index', 'cli', 'console'],
  ['server', 'ops'],
  ['service'],
  ['evidence'],
  ['examiner'],
  ['render'],
  ['present'],
  ['engine'],
  ['detectors'],
  ['inference', 'provenance'],
  ['image', 'ports'],
  ['contract'],
  ['errors', 'fair-queue', 'retry', 'mutex', 'version'],
];

/** What judges a picture knows of no rows, no settings and no server. */
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

/** Packages that one room alone may know. */
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
  'openid-client': 'service cli',
  nodemailer: 'service',
  fastify: 'server',
  'prom-client': 'server',
  commander: 'cli',
  '@inquirer/prompts': 'cli',
  preact: 'console',
  'preact/hooks': 'console',
  vite: 'console',
};

function floorOf(room: string): number {
  return floors.findIndex((rooms) => rooms.includes(room));
}

const arrows = importsOf()
  .filter(({ isPackage }) => !isPackage)
  .map(({ file, to }) => ({
    name: `${file} -> ${to}`,
    target: to,
    from: roomOf(file),
    to: roomOf(to),
  }))
  .filter(({ from, to }) => from !== to);

test('every room has a floor, and imports only from floors below it', () => {
  expect(sourceFiles().filter((file) => floorOf(roomOf(file)) === -1)).toEqual([]);
  expect(arrows.filter(({ from, to }) => floorOf(from) >= floorOf(to))).toEqual([]);
});

test('the rooms that judge a picture know of no rows, no settings and no server', () => {
  const strays = arrows.filter(({ from, target }) => heart.includes(from) && outside.test(target));

  expect(strays).toEqual([]);
});

test('the console, which runs in browsers, knows only the wire, the words of reports and the headers of files', () => {
  const known = ['contract', 'present'];
  const strays = arrows.filter(({ from, to }) => from === 'console' && !known.includes(to));

  const others = /\.css$|image\/(?:file-kind|raw|readers)\.ts$/;
  expect(strays.map(({ name }) => name).filter((name) => !others.test(name))).toEqual([]);
});

test('a package that has a keeper is imported by its keeper alone', () => {
  const strays = importsOf()
    .filter(({ to, isPackage }) => isPackage && to in keepers)
    .filter(({ file, to }) => !keepers[to]!.split(' ').includes(roomOf(file)))
    .map(({ file, to }) => `${file} -> ${to}`);

  expect(strays).toEqual([]);
});

test('no files import each other in a circle', () => {
  expect(cycles()).toEqual([]);
});

test('the clients of remote stores are not loaded before there is such a store', () => {
  const value = /^import (?!type\b)[^;]*'(?:minio|@azure\/storage-blob)'/m;

  const eager = sourceFiles().filter((name) => value.test(readFileSync(join(src, name), 'utf8')));

  expect(eager).toEqual([]);
});

test('the reader of imports sees the arrows that are there', () => {
  const seen = importsOf();

  expect(seen).toContainEqual({
    file: join('engine', 'result.ts'),
    to: join('detectors', 'detector.ts'),
    isPackage: false,
    isEager: false,
  });
});
