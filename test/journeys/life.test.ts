/** The life of an analysis on a running server, with the real model and a webhook receiver. */

import sharp from 'sharp';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runCli } from '../cli/run-cli.ts';
import { componentOf, type RawDocument } from '../contract/interface/document.ts';
import { strictComplaint } from '../contract/interface/judge.ts';
import { sceneJpeg } from '../fixtures/pictures.ts';
import { type Receiver, startReceiver } from './receiver.ts';
import { only } from './serving.ts';
import { useServing } from './use-serving.ts';

const size = { width: 160, height: 120 };
const serving = useServing({ FORENSICS_WEBHOOK_ALLOW: '127.0.0.0/8' });
const { dataDir } = serving;
let receiver: Receiver;

beforeAll(async () => {
  receiver = await startReceiver();
  const set = ['tenant', 'update', 'default', '--webhook-url', receiver.url, '--data-dir', dataDir];
  expect((await runCli(set)).code).toBe(0);
});

afterAll(() => receiver.close());

test('an analysis is created, uploaded, started, completed, upgraded and deleted', async () => {
  const { id, input } = await serving.client.create({ format: 'jpg', ...size });

  expect((await serving.client.send('POST', '/start', { id })).status).toBe(409);

  const picture = await sceneJpeg({ ...size, seed: 1 });
  expect((await serving.client.upload(await read(id), picture)).status).toBe(200);
  expect((await serving.client.send('POST', '/start', { id })).json()).toEqual({ success: true });
  expect((await serving.client.send('POST', '/start', { id })).status).toBe(409);
  await receiver.first(({ payload }) => payload['status'] === 'completed');

  const flagged = (await read(id)).inferenceStatus;
  expect(flagged).toMatchObject({ status: 'completed', retryCount: 0 });
  expect(flagged.result).toMatchObject({ resultClass: expect.any(Number), evidence: null });

  const again = { id, options: { tier: 'flagging' } };
  expect((await serving.client.send('POST', '/retry', again)).status).toBe(409);
  const options = { tier: 'forensicReporting' };
  const upgraded = only(await serving.client.send('POST', '/retry', { id, options }));
  expect(upgraded).toMatchObject({ tierUpgradedFrom: 'flagging', input: { options } });
  expect(upgraded.inferenceStatus.result?.resultClass).toBe(flagged.result?.resultClass);
  expect(upgraded.inferenceStatus.result?.evidence?.findings).not.toHaveLength(0);
  expect(await complaint('Analysis', upgraded)).toBeNull();
  await expectFiles(upgraded.inferenceStatus.result);
  expect((await serving.client.send('POST', '/retry', again)).status).toBe(400);

  expect(await serving.client.download(input.storageUrls.getUrl)).toEqual(picture);
  expect((await serving.client.send('DELETE', '', { id })).json()).toEqual({ success: true });
  expect((await serving.client.get(id)).status).toBe(404);
  expect((await serving.client.send('DELETE', '', { id })).status).toBe(404);
});

test("the receiver got every change in order, signed with the tenant's secret", async () => {
  await receiver.first(({ headers }) => headers['webhook-event'] === 'delete');
  const secret = await runCli(['tenant', 'webhook-secret', 'default', '--data-dir', dataDir]);
  const webhook = new Webhook(secret.stdout.trim());

  const seen = receiver.calls.map(({ headers, body }) => {
    const texts = Object.entries(headers).map(([name, value]) => [name, String(value)]);
    webhook.verify(body, Object.fromEntries(texts));
    const { status }: { status: string } = JSON.parse(body);
    return [headers['webhook-event'], status];
  });

  for (const { payload } of receiver.calls) {
    expect(await complaint('AnalysisMessage', payload)).toBeNull();
  }
  expect(seen).toEqual([
    ['update', 'processing'],
    ['update', 'completed'],
    ['delete', 'completed'],
  ]);
});

async function read(id: string) {
  return only(await serving.client.get(id));
}

/** What violates the server's own document, which must list every member of the value. */
async function complaint(name: 'Analysis' | 'AnalysisMessage', value: unknown) {
  const answer = await serving.ask({ method: 'GET', path: '/v1/schema' });
  const document: RawDocument = JSON.parse(answer.body.toString('utf8'));
  return strictComplaint(componentOf(document, name), value);
}

type Result = Awaited<ReturnType<typeof read>>['inferenceStatus']['result'];

async function expectFiles(result: Result): Promise<void> {
  const heatmaps = Object.values(result?.heatmaps ?? {});
  const pdfs = Object.values(result?.report ?? {}).map(({ pdfStorageUrls }) => pdfStorageUrls);
  expect([heatmaps.length, pdfs.length]).toEqual([4, 2]);
  for (const { getUrl } of heatmaps) {
    const { format, width, height } = await sharp(await serving.client.download(getUrl)).metadata();
    expect({ format, width, height }).toEqual({ format: 'png', ...size });
  }
  for (const { getUrl } of pdfs) {
    expect((await serving.client.download(getUrl)).subarray(0, 5).toString('latin1')).toBe('%PDF-');
  }
}
