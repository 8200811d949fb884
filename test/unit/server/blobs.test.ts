import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Agent } from 'node:https';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { Client } from 'minio';
import { expect, onTestFinished, test } from 'vitest';
import type { Analysis } from '../../../src/analyses/analysis.ts';
import { bucketNameFor, createBucketCredentials } from '../../../src/blobs/credentials.ts';
import { sceneJpeg } from '../../fixtures/pictures.ts';
import { draft, type Listening, openListening } from './open-server.ts';

async function opened(flags: Record<string, string> = {}): Promise<Listening> {
  const open = await openListening({ flags });
  onTestFinished(() => open.close());
  return open;
}

interface Made {
  readonly id: string;
  readonly putPath: string;
  readonly deletePath: string;
}

function pathOf(url: string): string {
  const { pathname, search } = new URL(url);
  return pathname + search;
}

async function createAnalysis({ askWithKey }: Listening): Promise<Made> {
  const created = await askWithKey({ method: 'POST', path: '/v1/analysis', body: draft });
  const [made] = created.json<{ data: Analysis[] }>().data;
  const { putUrl, deleteUrl } = made!.input.storageUrls;
  return { id: made!.id, putPath: pathOf(putUrl), deletePath: pathOf(deleteUrl) };
}

test('a tenant keeps within its quota, and what it uploaded waits until there is room', async () => {
  const picture = await sceneJpeg({ width: 640, height: 480, seed: 3 });
  const tenantQuotaBytes = String(Math.round(2.5 * picture.length));
  const open = await opened({ tenantQuotaBytes });
  const [one, two] = [await createAnalysis(open), await createAnalysis(open)];
  const put = async (path: string) => {
    const { status, body } = await open.ask({ method: 'PUT', path, body: picture });
    return [status, body.toString().includes(`quota of this tenant, ${tenantQuotaBytes} bytes`)];
  };
  const start = async () => {
    const body = { id: one.id, tenantName: 'acme' };
    const answer = await open.askWithKey({ method: 'POST', path: '/v1/analysis/start', body });
    return [answer.status, answer.headers['x-error-code']];
  };

  expect([await put(one.putPath), await put(two.putPath)]).toEqual([
    [200, false],
    [200, false],
  ]);
  expect(await put(one.putPath)).toEqual([507, true]);
  // The copy that is kept as evidence needs its own room.
  expect(await start()).toEqual([507, 'no_space_left']);

  await open.ask({ method: 'DELETE', path: two.deletePath });
  expect((await start())[0]).toBe(200);
});

test('the store takes an upload in parts through the server', async () => {
  const open = await opened();
  const bucket = bucketNameFor(open.tenant.id);
  const credentials = createBucketCredentials(open.app.secrets.of('blobs/buckets')).credentialsFor(
    bucket,
  );
  const address = open.server.server.address();
  if (address === null || typeof address === 'string') throw new TypeError('Not a TCP port.');
  const agent = new Agent({ ca: readFileSync(join(open.dataDir, 'tls', 'ca.pem')) });
  onTestFinished(() => agent.destroy());
  const client = new Client({
    endPoint: '127.0.0.1',
    port: address.port,
    useSSL: true,
    region: 'us-east-1',
    partSize: 5_242_880,
    accessKey: credentials.accessKeyId,
    secretKey: credentials.secretAccessKey,
    transportAgent: agent,
  });
  const pieces = Array.from({ length: 60 }, () => randomBytes(100_000));

  const { etag } = await client.putObject(bucket, 'in parts', Readable.from(pieces));
  await client.removeObjects(bucket, ['nothing']);

  const parts: Buffer[] = [];
  for await (const part of await client.getObject(bucket, 'in parts')) parts.push(part);
  expect(etag).toMatch(/-2$/);
  expect(Buffer.concat(parts).equals(Buffer.concat(pieces))).toBe(true);
});
