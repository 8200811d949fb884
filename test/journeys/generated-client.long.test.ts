/** The whole journey with clients generated from the server's own document. */

import { spawnSync } from 'node:child_process';
import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newFolder } from '../fixtures/folder.ts';
import { sceneJpeg } from '../fixtures/pictures.ts';
import { readManual } from '../../bin/manual/manual.ts';
import { newDataDir, type Serving, startServing } from './serving.ts';

const packages = fileURLToPath(new URL('../../node_modules', import.meta.url));

// The generator needs the TypeScript API of version 5 or earlier.
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

const inPython = `
import json, os, ssl, time
from pathlib import Path
import httpx
from generated import AuthenticatedClient
from generated import models
from generated.api.analyses import (
    create_analysis, delete_analysis, list_analyses, read_bundle, start_analysis
)
from generated.api.bundles import verify_bundle
from generated.types import File

tls = ssl.create_default_context(cafile=os.environ['CA'])
client = AuthenticatedClient(
    os.environ['SERVER'], os.environ['KEY'], prefix='ApiKey', verify_ssl=tls
)
of = {'client': client, 'tenant_name': 'default'}

created = create_analysis.sync(client=client, body=models.CreateAnalysisBody(
    tenant_name='default',
    name='Claim 4711',
    type_=models.CreateAnalysisBodyType.IMAGE,
    input_=models.CreateAnalysisBodyInput(
        format_=models.CreateAnalysisBodyInputFormat.JPG,
        version=models.CreateAnalysisBodyInputVersion.V1,
        width=320,
        height=240,
        filename='car.jpg',
        options=models.CreateAnalysisBodyInputOptions(
            tier=models.CreateAnalysisBodyInputOptionsTier.FORENSICREPORTING
        ),
    ),
)).data[0]
picture = Path('car.jpg').read_bytes()
upload = httpx.put(created.input_.storage_urls.put_url, content=picture, verify=tls)
start_analysis.sync(client=client, body=models.StartAnalysisBody(id=created.id, tenant_name='default'))
while True:
    done = list_analyses.sync(**of, id=created.id).data[0].inference_status
    if done.status.value in ('completed', 'failed'):
        break
    time.sleep(0.05)
start_of = lambda urls: httpx.get(urls.get_url, verify=tls).content[:4].decode('latin1')
result = done.result
bundle = read_bundle.sync(**of, id=created.id)
verified = verify_bundle.sync(**of, body=File(bundle.payload))
delete_analysis.sync(client=client, body=models.DeleteAnalysisBody(id=created.id, tenant_name='default'))
gone = list_analyses.sync_detailed(**of, id=created.id)

print(json.dumps({
    'upload': upload.status_code,
    'status': done.status.value,
    'resultClass': result.result_class,
    'findings': len(result.evidence.findings),
    'heatmap': start_of(result.heatmaps.fake_heatmap_storage_urls),
    'pdf': start_of(result.report.en.pdf_storage_urls),
    'holds': verified.data.holds,
    'gone': [gone.status_code, gone.parsed.success],
}))
`;

let dataDir: string;
let serving: Serving;
let cwd: string;

const write = (name: string, content: string | Uint8Array) =>
  writeFileSync(join(cwd, name), content);
const run = async (command: string, args: readonly string[], env = {}) =>
  execa(command, args, { cwd, env });

beforeAll(async () => {
  dataDir = newDataDir();
  serving = await startServing(dataDir);
  cwd = newFolder();
  write('document.json', (await serving.ask({ method: 'GET', path: '/v1/schema' })).body);
  write('car.jpg', await sceneJpeg({ width: 320, height: 240, seed: 1 }));
});

afterAll(() => serving.end('SIGTERM'));

/** Runs the journey with that command. */
async function expectJourney(command: string, args: readonly string[]): Promise<void> {
  const { url, caPath, apiKey } = serving.ready;
  const env = { NODE_EXTRA_CA_CERTS: caPath, CA: caPath, SERVER: url, KEY: apiKey ?? '' };
  const { stdout } = await run(command, args, env);

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
}

test('a client generated by openapi-typescript compiles and works from upload to bundle', async () => {
  symlinkSync(packages, join(cwd, 'node_modules'));
  write('journey.ts', journey);
  write('package.json', JSON.stringify({ type: 'module' }));
  write('tsconfig.json', JSON.stringify({ compilerOptions, files: ['journey.ts'] }));

  const generator = join(packages, 'openapi-typescript/bin/cli.js');
  const inTypes = ['document.json', '-o', 'api.d.ts'];
  await run(process.execPath, ['--import', withOldCompiler, generator, ...inTypes]);
  await run(process.execPath, [join(packages, '.bin/tsc'), '-p', '.']);

  await expectJourney(process.execPath, ['journey.ts']);
}, 120_000);

// The client that it generates needs Python 3.11.
const python = ['-c', 'import ensurepip, sys; sys.exit(sys.version_info < (3, 11))'];
const hasPython = spawnSync('python3', python).status === 0;
if (!hasPython) console.log('Without Python 3.11 and its venv, no client is generated in Python.');

test.runIf(hasPython)(
  'a client generated by openapi-python-client, without warnings, works from upload to bundle',
  { timeout: 240_000 },
  async () => {
    const [, types = ''] = /openapi-python-client needs `content_type_overrides` of (.+?) \|/.exec(
      readManual(),
    )!;
    const [octets = '', ...others] = [...types.matchAll(/`([a-z-]+\/[a-z-]+)`/g)]
      .map(([, type = '']) => type)
      .toReversed();
    const overrides = Object.fromEntries(others.map((type) => [type, octets]));
    write('settings.json', JSON.stringify({ content_type_overrides: overrides }));
    write('journey.py', inPython);
    const programs = join(cwd, 'venv/bin');
    await run('python3', ['-m', 'venv', 'venv']);
    await run(join(programs, 'pip'), ['install', '--quiet', 'openapi-python-client==0.29.1']);

    const generate = 'generate --path document.json --config settings.json --meta none';
    const { stdout, stderr } = await run(
      join(programs, 'openapi-python-client'),
      [...generate.split(' '), '--output-path', 'generated'],
      { PATH: `${programs}:${process.env['PATH']}` },
    );

    expect([stdout, stderr]).toEqual(['Generating generated', '']);
    await expectJourney(join(programs, 'python'), ['journey.py']);
  },
);
