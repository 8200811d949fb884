/**
 * A data folder of version 0.1.0, from before the sources were rearranged, with a tenant, its key,
 * a legal hold and one finished analysis of a drawn scene. It must still open with its results.
 */

import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newFolder } from '../fixtures/folder.ts';
import { serviceChain } from '../../src/service/audit/entry.ts';
import type { Analysis } from '../../src/contract/analysis.ts';
import { openServer, type OpenServer } from '../unit/server/open-server.ts';

const archive = fileURLToPath(new URL('../fixtures/data-folder-0.1.0.tar.gz', import.meta.url));
const analysisId = '6b03447ef910470b18eecd2e';
const headers = { authorization: 'ApiKey sk-uryg9j4x-jn4BLPYo5O1rAWh38DyoWIWCnxh44DCx2xSNr2' };

let open: OpenServer;

beforeAll(async () => {
  const dataDir = newFolder();
  await execa('tar', ['-xzf', archive, '-C', dataDir]);
  // The key is valid for a year after the folder was made.
  open = await openServer({ dataDir, now: () => new Date('2026-12-01T12:00:00Z') });
});

afterAll(() => open.close());

test('its key works and its analysis is listed with its result', async () => {
  const answer = await open.server.inject({ url: '/v1/analysis?tenantName=default', headers });

  const { data } = answer.json<{ data: Analysis[] }>();
  expect(answer.statusCode).toBe(200);
  expect(data.map(({ id, inferenceStatus }) => [id, inferenceStatus.status])).toEqual([
    [analysisId, 'completed'],
  ]);
  expect(data[0]?.inferenceStatus.result).toMatchObject({ resultClass: 3, resultSubClasses: [] });
});

test('an upgrade creates heatmaps and reports from the stored examination', async () => {
  const body = { id: analysisId, tenantName: 'default', options: { tier: 'forensicReporting' } };
  const answer = await open.server.inject({
    method: 'POST',
    url: '/v1/analysis/retry',
    headers,
    body,
  });

  const [analysis] = answer.json<{ data: Analysis[] }>().data;
  const { result } = analysis!.inferenceStatus;
  expect(answer.statusCode).toBe(200);
  expect(analysis?.tierUpgradedFrom).toBe('flagging');
  expect(result?.report?.['en']?.summary).toMatch(/\w/);
  expect(result?.report?.['de']?.pdfStorageUrls.getUrl).toMatch(/^https:/);
  expect(result?.heatmaps?.fakeHeatmapStorageUrls.getUrl).toMatch(/^https:/);
});

test('its audit log and its legal hold are intact', async () => {
  const { audit, tenants } = open.app.core;
  const [{ id } = { id: '' }] = await tenants.list();

  expect(await audit.verify(serviceChain)).toMatchObject({ broken: null });
  expect(await audit.verify(id)).toMatchObject({ broken: null });
  // Recorded by the upgrade, so that nobody else can take the name.
  await expect(tenants.create({ name: 'default' })).rejects.toMatchObject({ code: 'conflict' });
  const lines = await audit.read({ chain: id });
  expect(lines.map(({ text }) => text).join()).toContain('hold.added');
});
