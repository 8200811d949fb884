/** Evidence from a running server in a bundle, verified on a machine without keys or data. */

import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { newFolder } from '../fixtures/folder.ts';
import { emptyFolder, type Ran, runCli, runHere } from '../cli/run-cli.ts';
import { reproduceBundle } from '../../src/index.ts';
import { verifyBundle } from '../../src/evidence/verify.ts';
import { sceneJpeg } from '../fixtures/pictures.ts';
import { readEntries } from '../unit/evidence/repack.ts';
import { readPages } from '../unit/render/pdf-text.ts';
import { useServing } from './use-serving.ts';

const size = { width: 160, height: 120 };
const serving = useServing();
const { dataDir } = serving;
let id: string;
let flaggedId: string;
/** The bundle of the first, and what the command said when it wrote it. */
let firstBundle: string;
let firstReport: Ran;
let ownFolder: string;

beforeAll(async () => {
  id = await analyzed('forensicReporting', 'Claim 4711');
  flaggedId = await analyzed('flagging');
  await forge();
  ownFolder = newFolder();
  firstBundle = join(ownFolder, 'evidence.zip');
  firstReport = await report(id, '--out', firstBundle, '--html', '--json');
});

/** A completed analysis in this tier. */
async function analyzed(tier: string, projectId: string | null = null): Promise<string> {
  const made = await serving.client.create(
    { format: 'jpg', ...size, options: { tier } },
    { projectId },
  );
  await serving.client.upload(made, await sceneJpeg({ ...size, seed: 6 }));
  await serving.client.send('POST', '/start', { id: made.id });
  await serving.client.until(made.id, ['completed']);
  return made.id;
}

/** What clients upload in place of heatmaps and reports must not get into the evidence. */
async function forge(): Promise<void> {
  const { result } = (await serving.client.until(id, ['completed'])).inferenceStatus;
  const { heatmaps, report: stored } = result!;
  for (const { putUrl } of [heatmaps!.fakeHeatmapStorageUrls, stored!.en.pdfStorageUrls]) {
    const { pathname, search } = new URL(putUrl);
    const body = Buffer.from('forged');
    const put = await serving.ask({ method: 'PUT', path: pathname + search, body });
    expect(put.status).toBe(200);
  }
}

const report = (analysis: string, ...args: string[]) =>
  runHere(['report', analysis, '--tenant', 'default', '--data-dir', dataDir, ...args]);

/** As an outsider: no home, data folder or settings. */
async function elsewhere(...args: string[]) {
  const nowhere = join(await emptyFolder(), 'nothing');
  return runCli(args, { env: { HOME: nowhere, XDG_CONFIG_HOME: nowhere, XDG_DATA_HOME: nowhere } });
}

test('a bundle verifies and reproduces on a machine with neither key nor data', async () => {
  const key = join(await emptyFolder(), 'examiner.pem');

  const exported = await runHere(['signing-key', 'export', '--data-dir', dataDir]);
  await writeFile(key, exported.stdout);
  const verified = await elsewhere('verify', firstBundle, '--key', key, '--json');
  const reproduced = await elsewhere('reproduce', firstBundle, '--json');

  expect(firstReport.code).toBe(0);
  expect(verified.code).toBe(0);
  expect(JSON.parse(verified.stdout)).toMatchObject({
    holds: true,
    key: { isExpected: true },
    manifest: { item: { name: 'a.jpg', file: 'original.jpg' } },
  });
  expect(reproduced.code).toBe(0);
  expect(JSON.parse(reproduced.stdout)).toMatchObject({
    outcome: 'identical',
    differences: [],
    environment: [],
  });
  const files = await readEntries(await readFile(firstBundle));
  expect(Object.keys(files)).toContain('report-de.html');
  const events = custodyIn(files).map(({ event }) => event);
  expect(events).toEqual(expect.arrayContaining(['created', 'received', 'examined', 'rendered']));
});

test('every bundle is logged, and the next bundle includes that log entry', async () => {
  const next = join(await emptyFolder(), 'next.zip');

  await report(id, '--out', next, '--without-original', '--with-metadata');

  const { manifestSha256 }: { manifestSha256: string } = JSON.parse(firstReport.stdout);
  const files = await readEntries(await readFile(next));
  expect(Object.keys(files)).not.toContain('original.jpg');
  expect(Object.keys(files)).not.toContain('report-de.html');
  expect(custodyIn(files).at(-1)).toMatchObject({
    event: 'bundled',
    actor: 'operator',
    hashes: [{ name: 'manifest', sha256: manifestSha256 }],
  });
});

const askReport = async (analysis: string, language: string, format = 'html') =>
  serving.ask({
    method: 'GET',
    path: `/v1/analysis/report?tenantName=default&id=${analysis}&language=${language}&format=${format}`,
    headers: { authorization: `ApiKey ${serving.ready.apiKey}` },
  });

test('the HTML report is available in both languages, as a sandboxed download', async () => {
  const [english, german] = [await askReport(id, 'en'), await askReport(id, 'de')];
  const flagged = await askReport(flaggedId, 'en');

  expect(english.body.toString()).toMatch(/^<!doctype html>\n<html lang="en">/);
  expect(german.body.toString()).toMatch(/^<!doctype html>\n<html lang="de">/);
  expect(english.headers).toMatchObject({
    'content-type': 'text/html; charset=utf-8',
    'content-disposition': `attachment; filename="report-${id}-en.html"`,
    'content-security-policy': 'sandbox',
  });
  expect(flagged.status).toBe(409);
});

test('exhibit and examiner given afterwards appear in every report made from then on', async () => {
  const caseData = { exhibit: 'K-17', examiner: 'Ada Berg' };
  const typed = { exhibit: ' K-17\n', examiner: 'Ada\r\n\u0007Berg' };
  const described = await serving.client.send('PUT', '', { id, caseData: typed });
  const html = await askReport(id, 'de');
  const pdf = await askReport(id, 'en', 'pdf');
  const refused = await serving.client.send('PUT', '', {
    id,
    caseData: { exhibit: 'x'.repeat(81) },
  });

  expect(described.json<{ data: unknown[] }>().data).toMatchObject([{ caseData }]);
  expect(html.body.toString()).toMatch(/Claim 4711; Asservat K-17/);
  expect(html.body.toString()).toContain('Ada Berg');
  expect(pdf.headers['content-type']).toBe('application/pdf');
  expect(readPages(pdf.body)[0]?.text).toMatch(/Ada Berg is named.*Exhibit K-17/s);
  expect([refused.status, refused.json()['message']]).toEqual([
    400,
    'caseData.exhibit must be text of 1 to 80 characters.',
  ]);
});

test('what cannot be bundled is refused with advice, and nothing is overwritten', async () => {
  const folder = await emptyFolder();
  const out = join(folder, 'evidence.zip');
  await mkdir(join(folder, 'taken'));

  const flagged = await report(flaggedId, '--out', out);
  const unknown = await report('0'.repeat(24), '--out', out);
  const taken = await report(id, '--out', join(folder, 'taken'), '--force');
  const noCase = ['report', '--project', 'none', '--tenant', 'default', '--out', out];
  const empty = await runHere([...noCase, '--data-dir', dataDir]);

  expect(flagged).toMatchObject({ code: 5, stdout: '' });
  expect(flagged.stderr).toContain('upgrade it first');
  expect(unknown).toMatchObject({ code: 4, stdout: '' });
  expect(taken).toMatchObject({ code: 5, stdout: '' });
  expect(empty).toMatchObject({ code: 4, stdout: '' });
  expect(empty.stderr).toContain('The case has no pictures');
});

const ofCase = ['report', '--case', 'Claim 4711', '--tenant', 'default'];

test('the archive of a case holds a full bundle of each picture with a report', async () => {
  const out = join(await emptyFolder(), 'case.zip');

  const made = await runHere([...ofCase, '--data-dir', dataDir, '--out', out]);

  expect(made.code).toBe(0);
  expect(await verifyBundle(out)).toMatchObject({
    holds: true,
    manifest: { item: { name: 'Claim 4711', file: 'case.json' } },
    pictures: [{ name: 'a.jpg', holds: true }],
  });
  const files = await readEntries(await readFile(out));
  expect(await verifyBundle(files['picture-0001.zip']!)).toMatchObject({ holds: true });
  expect(JSON.parse(Buffer.from(files['case.json']!).toString('utf8'))).toMatchObject({
    case: 'Claim 4711',
    pictures: [{ analysisId: id, status: 'completed', file: 'picture-0001.zip' }],
  });
  await expect(reproduceBundle(out)).rejects.toMatchObject({ code: 'usage' });
});

test('a server provides the report and archive of a case', async () => {
  const folder = await emptyFolder();
  const there = ['--url', serving.ready.url, '--ca', join(dataDir, 'tls', 'ca.pem')];
  const env = { FORENSICS_API_KEY: serving.ready.apiKey ?? '' };
  const [zip, pdf] = [join(folder, 'case.zip'), join(folder, 'case.pdf')];

  const archived = await runCli([...ofCase, ...there, '--out', zip], { env });
  const reported = await runCli([...ofCase, ...there, '--lang', 'de', '--out', pdf], { env });

  expect([archived.code, reported.code]).toEqual([0, 0]);
  expect(await verifyBundle(zip)).toMatchObject({ holds: true });
  const pages = readPages(await readFile(pdf)).map(({ text }) => text);
  expect(pages).toHaveLength(2);
  expect(pages[0]).toContain('1 Bild: ');
});

interface Step {
  readonly event: string;
}

function custodyIn(files: Readonly<Record<string, Uint8Array>>): readonly Step[] {
  return JSON.parse(Buffer.from(files['custody.json']!).toString('utf8'));
}
