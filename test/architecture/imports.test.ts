import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { expect, test } from 'vitest';

const src = new URL('../../src', import.meta.url).pathname;

/** Who may import whom. A room may always import itself. */
const services = ['audit', 'blobs', 'jobs', 'access', 'webhooks', 'feedback'];
const heart = [
  'errors',
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
  image: ['errors'],
  provenance: ['errors', 'image'],
  inference: ['errors', 'image'],
  detectors: ['errors', 'image', 'provenance', 'inference'],
  engine: ['errors', 'image', 'provenance', 'inference', 'detectors'],
  report: ['errors', 'image', 'provenance', 'inference', 'detectors', 'engine'],
  lab: ['errors', 'image', 'provenance', 'inference', 'detectors', 'engine', 'report'],
  evidence: heart,
  validation: heart,
  audit: ['errors', 'db'],
  db: ['errors'],
  config: ['errors'],
  backup: ['errors', 'db'],
  client: ['errors', 'config'],
  outbound: ['errors'],
  blobs: ['errors', 'db', 'outbound'],
  jobs: ['errors', 'db'],
  access: ['errors', 'db', 'audit'],
  webhooks: ['errors', 'db', 'outbound', 'jobs'],
  feedback: ['errors', 'db', 'outbound', 'jobs'],
  tenancy: ['errors', 'db', 'audit', 'outbound', 'access', 'blobs'],
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

interface Arrow {
  readonly file: string;
  readonly from: string;
  readonly to: string;
  readonly isPackage: boolean;
}

function roomOf(path: string): string {
  return relative(src, path).split(sep)[0]!.replace(/\.ts$/, '');
}

function arrows(): Arrow[] {
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.ts'),
  );
  return files.flatMap((name) => {
    const path = join(src, name);
    const text = readFileSync(path, 'utf8');
    const specifiers = [...text.matchAll(/(?:from|import)\s*\(?\s*['"]([^'"]+)['"]/g)].map(
      (match) => match[1]!,
    );
    return specifiers
      .filter((specifier) => !specifier.startsWith('node:'))
      .map((specifier) => {
        const isPackage = !specifier.startsWith('.');
        const to = isPackage ? specifier : roomOf(join(dirname(path), specifier));
        return { file: name, from: roomOf(path), to, isPackage };
      });
  });
}

test('no room imports a room that the table forbids', () => {
  const forbidden = arrows()
    .filter(({ from, isPackage }) => !isPackage && from !== 'cli')
    .filter(({ from, to }) => from !== to && !mayImport[from]?.includes(to))
    .map(({ file, to }) => `${file} -> ${to}`);

  expect(forbidden).toEqual([]);
});

test('a package that has a keeper is imported by its keeper alone', () => {
  const strays = arrows()
    .filter(({ isPackage }) => isPackage)
    .filter(({ to, from }) => to in keepers && !keepers[to]!.split(' ').includes(from))
    .map(({ file, to }) => `${file} -> ${to}`);

  expect(strays).toEqual([]);
});

test('the clients of remote stores are not loaded before there is such a store', () => {
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.ts'),
  );
  const value = /^import (?!type\b)[^;]*'(?:minio|@azure\/storage-blob)'/m;

  const eager = files.filter((name) => value.test(readFileSync(join(src, name), 'utf8')));

  expect(eager).toEqual([]);
});

test('the reader of imports sees the arrows that are there', () => {
  const seen = arrows();

  expect(seen).toContainEqual({
    file: join('engine', 'result.ts'),
    from: 'engine',
    to: 'detectors',
    isPackage: false,
  });
});
