/** The whole journey by a client that was generated from the server's own document, as its readers make one. */

import { rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import { sceneJpeg } from '../fixtures/pictures.ts';
import { emptyFolder } from '../cli/run-cli.ts';
import { newDataDir, startServing } from './serving.ts';

const packages = fileURLToPath(new URL('../../node_modules', import.meta.url));

// The generator needs the interface that TypeScript had up to version 5.
const withOldCompiler = `data:text/javascript,
import { registerHooks } from 'node:module';
registerHooks({
  resolve: (name, context, next) => next(name === 'typescript' ? 'typescript-5' : name, context),
});`;

const journey = `
import { readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import createClient from 'openapi-fetch';
import type { paths } from './api.d.ts';

const { SERVER: baseUrl = '', KEY = '' } = process.env;
const headers = { authorization: 'ApiKey ' + KEY };
const client = createClient<paths>({ baseUrl, headers });
const tenantName = 'default';

interface Answer<T> { data?: T; error?: { message: string }; response: Response }
function dataOf<T>({ data, error, response }: Answer<T>): T {
  if (data === undefined) throw new Error(response.status + ' ' + error?.message);
  return data;
}

async function read(id: string) {
  const answer = await client.GET('/v1/analysis', { params: { query: { tenantName, id } } });
  return dataOf(answer).data[0]!;
}

async function startOf(url: string) {
  return Buffer.from(await (await fetch(url)).arrayBuffer()).toString('latin1', 0, 4);
}

// @ts-expect-error -- a format that the server does not know
const input: CreateInput = { format: 'txt', version: 'v1', width: 1, height: 1, filename: '' };
type CreateBody = paths['/v1/analysis']['post']['requestBody']['content']['application/json'];
type CreateInput = CreateBody['input'];

const created = dataOf(
  await client.POST('/v1/analysis', {
    body: {
      tenantName,
      name: 'Claim 4711',
      type: 'image',
      input: {
        format: 'jpg',
        version: 'v1',
        width: 320,
        height: 240,
        filename: 'car.jpg',
        options: { tier: 'forensicReporting' },
      },
    },
  }),
).data[0]!;
const { id } = created;
const upload = await fetch(created.input.storageUrls.putUrl, {
  method: 'PUT',
  body: readFileSync('car.jpg'),
});
dataOf(await client.POST('/v1/analysis/start', { body: { tenantName, id } }));
let done = await read(id);
for (; !['completed', 'failed'].includes(done.inferenceStatus.status); done = await read(id)) {
  await setTimeout(50);
}
const { resultClass, evidence, heatmaps, report } = done.inferenceStatus.result!;
const query = { tenantName, id };
const bundle = dataOf(
  await client.GET('/v1/analysis/bundle', { params: { query }, parseAs: 'arrayBuffer' }),
);
const verified = await client.POST('/v1/bundle/verify', {
  params: { query: { tenantName } },
  headers: { 'content-type': 'application/zip' },
  body: '',
  bodySerializer: () => bundle,
});
dataOf(await client.DELETE('/v1/analysis', { body: { tenantName, id } }));
const gone = await client.GET('/v1/analysis', { params: { query } });

console.log(
  JSON.stringify({
    upload: upload.status,
    status: done.inferenceStatus.status,
    resultClass,
    findings: evidence!.findings.length,
    heatmap: await startOf(heatmaps!.fakeHeatmapStorageUrls.getUrl),
    pdf: await startOf(report!.en.pdfStorageUrls.getUrl),
    holds: dataOf(verified).data.holds,
    gone: [gone.response.status, gone.error?.success],
  }),
);
`;

const compilerOptions = {
  strict: true,
  noEmit: true,
  target: 'esnext',
  module: 'nodenext',
  types: ['node'],
  allowImportingTsExtensions: true,
};

test('openapi-typescript makes a client that compiles and leads from the upload to the bundle', async () => {
  const dataDir = newDataDir();
  const serving = await startServing(dataDir);
  const cwd = await emptyFolder();
  symlinkSync(packages, join(cwd, 'node_modules'));
  const write = (name: string, content: string | Uint8Array) =>
    writeFileSync(join(cwd, name), content);
  write('document.json', (await serving.ask({ method: 'GET', path: '/v1/schema' })).body);
  write('car.jpg', await sceneJpeg({ width: 320, height: 240, seed: 1 }));
  write('journey.ts', journey);
  write('package.json', JSON.stringify({ type: 'module' }));
  write('tsconfig.json', JSON.stringify({ compilerOptions, files: ['journey.ts'] }));

  const generator = join(packages, 'openapi-typescript/bin/cli.js');
  const inTypes = ['document.json', '-o', 'api.d.ts'];
  await execa('node', ['--import', withOldCompiler, generator, ...inTypes], { cwd });
  await execa(join(packages, '.bin/tsc'), ['-p', '.'], { cwd });
  const { ready } = serving;
  const env = { NODE_EXTRA_CA_CERTS: ready.caPath, SERVER: ready.url, KEY: ready.apiKey ?? '' };
  const { stdout } = await execa('node', ['journey.ts'], { cwd, env });

  expect(JSON.parse(stdout)).toEqual({
    upload: 200,
    status: 'completed',
    resultClass: expect.any(Number),
    findings: expect.any(Number),
    heatmap: '\u0089PNG',
    pdf: '%PDF',
    holds: true,
    gone: [404, false],
  });
  await serving.end('SIGTERM');
  rmSync(dataDir, { recursive: true, force: true });
}, 120_000);
