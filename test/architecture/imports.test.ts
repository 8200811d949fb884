import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cycles, importsOf, roomOf, sourceFiles, src } from './imports.ts';

/** Who may import whom. A room may always import itself. */
const services = ['audit', 'blobs', 'jobs', 'access', 'webhooks', 'feedback'];
const heart = [
  'errors',
  'contract',
  'image',
  'provenance',
  'inference',
  'detectors',
  'engine',
  'report',
  'lab',
];
const mayImport: Record<string, readonly string[]> = {
  errors: [],
  mutex: [],
  retry: [],
  contract: ['errors'],
  image: ['contract', 'errors'],
  provenance: ['contract', 'errors', 'image'],
  inference: ['contract', 'errors', 'image'],
  detectors: ['contract', 'errors', 'image', 'provenance', 'inference'],
  engine: ['contract', 'errors', 'image', 'provenance', 'inference', 'detectors'],
  report: ['contract', 'errors', 'image', 'provenance', 'inference', 'detectors', 'engine'],
  lab: ['contract', 'errors', 'image', 'provenance', 'inference', 'detectors', 'engine', 'report'],
  evidence: heart,
  validation: heart,
  audit: ['errors', 'db'],
  db: ['errors'],
  config: ['errors'],
  backup: ['errors', 'db'],
  client: ['errors', 'retry', 'config'],
  outbound: ['errors'],
  blobs: ['contract', 'errors', 'retry', 'mutex', 'db', 'outbound'],
  jobs: ['errors', 'db'],
  access: ['contract', 'errors', 'db', 'audit'],
  webhooks: ['errors', 'db', 'outbound', 'jobs'],
  feedback: ['contract', 'errors', 'db', 'outbound', 'jobs'],
  tenancy: ['contract', 'errors', 'db', 'audit', 'outbound', 'access', 'blobs'],
  analyses: [...heart, 'evidence', 'db', ...services],
  app: [
    ...heart,
    'evidence',
    'validation',
    'db',
    'config',
    'outbound',
    ...services,
    'tenancy',
    'analyses',
    'backup',
  ],
  server: [...heart, 'config', ...services, 'tenancy', 'analyses', 'app'],
  index: [...heart, 'evidence'],
};

/** Packages that one room alone may know. */
const keepers: Record<string, string> = {
  'onnxruntime-node': 'inference',
  sharp: 'image report',
  pdfkit: 'report',
  'better-sqlite3': 'db',
  exifreader: 'image',
  '@contentauth/c2pa-wasm': 'provenance',
  yauzl: 'evidence',
  canonicalize: 'evidence audit',
  minio: 'blobs',
  '@azure/storage-blob': 'blobs',
  undici: 'outbound access client',
  jose: 'access',
  'openid-client': 'access client',
  nodemailer: 'feedback',
  fastify: 'server',
  'prom-client': 'server',
  commander: 'cli',
  '@inquirer/prompts': 'cli',
};

test('no room imports a room that the table forbids', () => {
  const forbidden = importsOf()
    .filter(({ isPackage }) => !isPackage)
    .map(({ file, to }) => ({ file, from: roomOf(file), to: roomOf(to) }))
    .filter(({ from }) => from !== 'cli')
    .filter(({ from, to }) => from !== to && !mayImport[from]?.includes(to))
    .map(({ file, to }) => `${file} -> ${to}`);

  expect(forbidden).toEqual([]);
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
    to: join('detectors', 'finding.ts'),
    isPackage: false,
    isEager: false,
  });
});
