/** The audit log of a running server, read by separate commands. */

import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { runCli } from '../cli/run-cli.ts';
import { sceneJpeg } from '../fixtures/pictures.ts';
import { only } from './serving.ts';
import { useServing } from './use-serving.ts';

const size = { width: 160, height: 120 };
const serving = useServing();
const { dataDir } = serving;

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const audit = async (...args: string[]) => runCli(['audit', ...args, '--data-dir', dataDir]);

test("a report replaced by a client through its own URL is detected by the log's hashes", async () => {
  const { client } = serving;
  const options = { tier: 'forensicReporting' };
  const { id } = await client.create({ format: 'jpg', ...size, options });
  await client.upload(only(await client.get(id)), await sceneJpeg({ ...size, seed: 1 }));
  await client.send('POST', '/start', { id });
  const { inferenceStatus } = await client.until(id, ['completed', 'failed']);
  const { pdfStorageUrls } = inferenceStatus.result!.report!.en;
  const which = ['--tenant', 'default', '--analysis', id];
  const drawn = await client.download(pdfStorageUrls.getUrl);

  const { pathname, search } = new URL(pdfStorageUrls.putUrl);
  const put = await serving.ask({
    method: 'PUT',
    path: pathname + search,
    body: Buffer.from('%PDF-'),
  });
  const replaced = await client.download(pdfStorageUrls.getUrl);
  const listed = await audit('list', ...which, '--json');
  const verified = await audit('verify');

  expect(put.status).toBe(200);
  const entries: { event: string }[] = JSON.parse(listed.stdout);
  const completed = JSON.stringify(entries.at(-1));
  expect(completed).toContain(sha256(drawn));
  expect(completed).not.toContain(sha256(replaced));
  expect(entries.map(({ event }) => event)).toEqual([
    'analysis.created',
    'analysis.received',
    'analysis.begun',
    'analysis.completed',
  ]);
  expect(verified.code).toBe(0);
});
