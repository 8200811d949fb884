import { randomBytes } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { maxUploadBytes } from '../../src/contract/limits.ts';
import { bodyLimitBytes, longBodyLimitBytes } from '../../src/server/bodies.ts';
import { operationsOf, type RawDocument } from '../contract/interface/document.ts';
import { repack } from '../unit/evidence/repack.ts';
import { clientOf, newDataDir, type Serving, startServing } from '../journeys/serving.ts';

const dataDir = newDataDir();
let serving: Serving;

beforeAll(async () => {
  serving = await startServing(dataDir);
});

afterAll(async () => {
  await serving.end('SIGTERM');
  rmSync(dataDir, { recursive: true, force: true });
});

const mostMegabytes = 600;
const atOnce = Array.from({ length: 16 });

/** What takes most memory once parsed: many small objects. */
const jsonOf = (sizeBytes: number) => `{"input":[${'{},'.repeat(sizeBytes / 3 - 10)}{}]}`;
const json = [bodyLimitBytes, longBodyLimitBytes].map(jsonOf);
/** For bodies of 50 MB. */
const fewAtOnce = atOnce.slice(0, 4);
const zip = Buffer.alloc(maxUploadBytes, 'PK');
/** A zip whose list of files grows to twenty times the size of the zip. */
const bomb = await repack(
  { 'manifest.json': Buffer.from(jsonOf(140_000_000)), pad: randomBytes(7_000_000) },
  { compress: true },
);

test.runIf(process.platform === 'linux')(
  `many concurrent requests with the largest bodies need at most ${mostMegabytes} MB`,
  { timeout: 300_000 },
  async () => {
    const { tenantName, apiKey } = serving.ready;
    const authorization = `ApiKey ${apiKey}`;
    const { body } = await serving.ask({ method: 'GET', path: '/v1/schema' });
    const document: RawDocument = JSON.parse(body.toString('utf8'));
    const taking = operationsOf(document).filter((operation) => operation.body !== null);
    const client = clientOf(serving, tenantName ?? '', apiKey ?? '');
    const made = await client.create({ format: 'jpg', width: 640, height: 480 });
    const statuses = new Set<number>();
    const send = async (method: string, path: string, type: string, sent: string | Buffer) => {
      const headers = { authorization, 'content-type': type };
      const question = { method, path: `${path}?tenantName=${tenantName}`, headers, body: sent };
      statuses.add((await serving.ask(question)).status);
    };

    for (const { method, path } of taking) {
      for (const text of json) {
        await Promise.all(atOnce.map(() => send(method, path, 'application/json', text)));
      }
    }
    for (const archive of [zip, bomb]) {
      await Promise.all(
        fewAtOnce.map(() => send('POST', '/v1/bundle/verify', 'application/zip', archive)),
      );
    }
    await Promise.all(fewAtOnce.map(() => client.upload(made, zip)));

    expect(taking.length).toBeGreaterThan(20);
    expect([...statuses].filter((status) => status >= 500)).toEqual([]);
    expect(peakMegabytes(serving.child.pid)).toBeLessThanOrEqual(mostMegabytes);
  },
);

/** The peak memory of a process in millions of bytes. @see proc(5), VmHWM. */
function peakMegabytes(pid: number | undefined): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return (Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024) / 1e6;
}
