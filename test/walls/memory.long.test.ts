import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { maxUploadBytes } from '../../src/contract/limits.ts';
import { bodyLimitBytes, longBodyLimitBytes } from '../../src/server/bodies.ts';
import { operationsOf, type RawDocument } from '../contract/interface/document.ts';
import { bundleWith, manyNumbers } from '../unit/evidence/small-case.ts';
import { runCli } from '../cli/run-cli.ts';
import { clientOf, newDataDir, type Serving, startServing } from '../journeys/serving.ts';

const dataDir = newDataDir();
let serving: Serving;

beforeAll(async () => {
  serving = await startServing(dataDir);
});

afterAll(() => serving.end('SIGTERM'));

const mostMegabytes = 600;
const atOnce = Array.from({ length: 16 });

/** What takes most memory once parsed: many small objects. */
const jsonOf = (sizeBytes: number) => `{"input":[${'{},'.repeat(sizeBytes / 3 - 10)}{}]}`;
const json = [bodyLimitBytes, longBodyLimitBytes].map(jsonOf);
/** For bodies of 50 MB. */
const fewAtOnce = atOnce.slice(0, 4);
const zip = Buffer.alloc(maxUploadBytes, 'PK');
/** With the result of the largest picture, which has 75 MB. */
const largest = Buffer.from(await bundleWith(Array(8).fill(manyNumbers(1_600_000))));

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
    const created = await client.create({ format: 'jpg', width: 640, height: 480 });
    const statuses = new Set<number>();
    const send = async (method: string, path: string, type: string, sent: string | Buffer) => {
      const headers = { authorization, 'content-type': type };
      const question = { method, path: `${path}?tenantName=${tenantName}`, headers, body: sent };
      statuses.add((await serving.ask(question)).status);
    };
    const verify = async (tenant: string | null, key: string | null, sent: Buffer) => {
      const headers = { authorization: `ApiKey ${key}`, 'content-type': 'application/zip' };
      const path = `/v1/bundle/verify?tenantName=${tenant}`;
      const answer = await serving.ask({ method: 'POST', path, headers, body: sent });
      return answer.json<{ data?: { holds: boolean } }>().data?.holds ?? answer.status;
    };
    const here = ['other', '--data-dir', dataDir];
    await runCli(['tenant', 'create', ...here]);
    const made = await runCli(['keys', 'create', '--name', 'a', '--json', '--tenant', ...here]);
    const { secret }: { secret: string } = JSON.parse(made.stdout);

    for (const { method, path } of taking) {
      for (const text of json) {
        await Promise.all(atOnce.map(() => send(method, path, 'application/json', text)));
      }
    }
    await Promise.all(
      fewAtOnce.map(() => send('POST', '/v1/bundle/verify', 'application/zip', zip)),
    );
    const verified = await Promise.all(
      fewAtOnce.flatMap(() => [
        verify(tenantName, apiKey, largest),
        verify('other', secret, largest),
      ]),
    );
    await Promise.all(fewAtOnce.map(() => client.upload(created, zip)));

    expect(verified).toEqual(Array(8).fill(true));
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
