/** Uploads to a store outside the server: S3, and Azure with a private certificate authority. */

import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { readdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeEach, expect, test, vi } from 'vitest';
import type { Analysis } from '../../src/contract/analysis.ts';
import { listen } from '../fixtures/listen.ts';
import { sceneJpeg } from '../fixtures/pictures.ts';
import { newDataDir, type Serving, startServing } from '../journeys/serving.ts';
import { startAzurite } from '../unit/ports/storage/azurite.ts';
import { bucket, startS3Server } from '../fixtures/s3-server.ts';
import { openDoor } from './open-door.ts';
import { emptyFolder, startCli, type StartHow } from './run-cli.ts';

/** Starts a server and then a command: half a minute on a busy machine. */
vi.setConfig({ testTimeout: 90_000 });
const dataDir = newDataDir();
const azureCa = join(dataDir, 'azurite-ca.pem');
const scene = await sceneJpeg({ width: 160, height: 120, seed: 1 });
const [buckets, azurite, outside] = [await startS3Server(), await startAzurite(), await openDoor()];
writeFileSync(azureCa, azurite.ca);
let apiKey: string | null = null;

beforeEach(() => outside.leadTo(buckets.port));
afterAll(async () => {
  outside.close();
  await Promise.all([azurite.close(), buckets.close()]);
});

/** A bucket whose public port differs from the one that the service uses. */
function inS3() {
  const s3 = buckets.s3Config(bucket, { port: outside.port });
  return { s3: { ...s3, internalPort: buckets.port } };
}

function inAzure() {
  return { azure: { containerName: 'evidence', connectionString: azurite.connectionString } };
}

type Analyze = (flags: readonly string[], how?: StartHow) => ReturnType<typeof startCli>;

/** Serves while `act` runs, with this store as the default for all tenants. */
async function during(
  storage: object,
  act: (analyze: Analyze, serving: Serving, cwd: string) => Promise<void>,
): Promise<void> {
  const file = join(dataDir, 'default-storage.json');
  writeFileSync(file, JSON.stringify(storage), { mode: 0o600 });
  const environment = { FORENSICS_DEFAULT_STORAGE: file, NODE_EXTRA_CA_CERTS: azureCa };
  const serving = await startServing(dataDir, environment);
  apiKey ??= serving.ready.apiKey;
  const cwd = await emptyFolder();
  await writeFile(join(cwd, 'scene.jpg'), scene);
  const { url, caPath } = serving.ready;
  const where = ['--url', url, '--ca', caPath, '--tenant', 'default', '--json'];
  const analyze: Analyze = (flags, { env = {}, ...how } = {}) =>
    startCli(['analyze', 'scene.jpg', ...where, ...flags], {
      cwd,
      env: { FORENSICS_API_KEY: apiKey ?? '', XDG_STATE_HOME: join(cwd, 'state'), ...env },
      ...how,
    });
  try {
    await act(analyze, serving, cwd);
  } finally {
    await serving.end('SIGTERM');
  }
}

async function get({ ask }: Serving, path: string) {
  const headers = { authorization: `ApiKey ${apiKey ?? ''}` };
  return ask({ method: 'GET', path: `${path}?tenantName=default`, headers });
}

const countOf = async (serving: Serving) =>
  (await get(serving, '/v1/analysis')).json<{ total: number }>().total;

const forensic = ['--tier', 'forensicReporting', '--out', 'out', '--lang', 'en'];
const sixFiles = [
  ...['anomaly', 'compression', 'fake', 'real'].map((name) => `heatmap-${name}.png`),
  'report-en.pdf',
  'result.json',
];

test('S3 takes the upload and serves the files; a stopped upload leaves no analysis on the server', async () => {
  // Accepts data and never responds.
  const silent = createServer((socket) => void socket.on('error', () => undefined).resume());
  const port = await listen(silent);

  await during(inS3(), async (analyze, serving, cwd) => {
    const done = await analyze(forensic);
    const before = await countOf(serving);
    outside.leadTo(port);
    const stopped = await analyze([], {
      onStart: (kill) => void once(silent, 'connection').then(() => kill('SIGINT')),
    });

    expect(done).toMatchObject({ code: 0 });
    expect((await readdir(join(cwd, 'out/scene'))).toSorted()).toEqual(sixFiles);
    expect(before).toBe(1);
    expect(stopped).toMatchObject({ signal: 'SIGINT', stdout: '' });
    expect(stopped.stderr).not.toContain('--resume');
    expect(await countOf(serving)).toBe(before);
  });
});

test('after a move to Azure behind a private authority, which NODE_EXTRA_CA_CERTS must name, pictures in S3 stay readable', async () => {
  await during(inAzure(), async (analyze, serving, cwd) => {
    const [inBucket] = (await get(serving, '/v1/analysis')).data<[Analysis]>();
    const moved = await fetch(inBucket.input.storageUrls.getUrl);
    const tenant = await get(serving, '/v1/tenant');
    const before = await countOf(serving);
    const distrusted = await analyze([]);
    const left = (await countOf(serving)) - before;
    const done = await analyze(forensic, { env: { NODE_EXTRA_CA_CERTS: azureCa } });

    expect(Buffer.from(await moved.arrayBuffer())).toEqual(scene);
    expect(tenant.data<object>()).toMatchObject({ storageType: 'azure', storageWarning: null });
    expect(tenant.data<object>()).not.toHaveProperty('storageConfig');
    expect(distrusted).toMatchObject({ code: 3 });
    expect(distrusted.stderr).toMatch(
      /^forensics: The certificate of 127\.0\.0\.1:\d+ was not issued by/m,
    );
    expect(left).toBe(0);
    expect(done).toMatchObject({ code: 0 });
    expect((await readdir(join(cwd, 'out/scene'))).toSorted()).toEqual(sixFiles);
  });
});
