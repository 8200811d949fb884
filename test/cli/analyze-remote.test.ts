/** `forensics analyze` and `forensics report` on a server. */

import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import sharp from 'sharp';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { AnalysisRecord } from '../../src/cli/analyze/record.ts';
import type { Analysis } from '../../src/contract/analysis.ts';
import { sceneJpeg } from '../fixtures/pictures.ts';
import { pngChunk, pngHeader, pngSignature } from '../fixtures/png-chunks.ts';
import { useServing } from '../journeys/use-serving.ts';
import { draft } from '../unit/server/open-server.ts';
import { emptyFolder, refused, refusedInOneLine, runCli, runHere, type RunHow } from './run-cli.ts';
import { type Files, folderWith, recordLines, recordsIn } from './working-folder.ts';

/** A picture is examined locally and on the server, each in its own process: half a minute on a busy machine. */
const twoCommandsMs = 90_000;
const mostUploadBytes = 1_000_000;
const serving = useServing({ FORENSICS_MAX_UPLOAD_BYTES: String(mostUploadBytes) });
const { dataDir } = serving;
const scene = await sceneJpeg({ width: 160, height: 120, seed: 7 });
beforeEach(async () => {
  vi.stubEnv('FORENSICS_API_KEY', serving.ready.apiKey ?? '');
  vi.stubEnv('XDG_STATE_HOME', await emptyFolder());
});
afterEach(() => vi.unstubAllEnvs());

const server = () => ['--url', serving.ready.url, '--ca', serving.ready.caPath];
const acme = () => [...server(), '--tenant', 'default'];

/** In its own process, as from a user's shell. */
const run = (args: readonly string[], how: RunHow = {}) =>
  runCli(args, { ...how, env: { FORENSICS_API_KEY: serving.ready.apiKey ?? '' } });

const folderWithScene = (files: Files = {}) => folderWith({ 'scene.jpg': scene, ...files });

const asTenant = (query: string) =>
  serving.ask({
    method: 'GET',
    path: `/v1/analysis?tenantName=default&${query}`,
    headers: { authorization: `ApiKey ${serving.ready.apiKey ?? ''}` },
  });

async function analysesOnServer(searchTerm: string): Promise<readonly [Analysis, ...Analysis[]]> {
  const answer = await asTenant(`searchTerm=${searchTerm}`);
  return answer.json<{ data: [Analysis, ...Analysis[]] }>().data;
}

/** The number of analyses of the tenant, in any state. */
async function countOnServer(): Promise<number> {
  return Number((await asTenant('limit=1')).headers['x-total-count']);
}

const forensic = ['--tier', 'forensicReporting'];

describe('a picture', () => {
  test(
    'gives the same record as a local analysis, and a folder with its files',
    async () => {
      const cwd = await folderWithScene();
      const args = ['analyze', 'scene.jpg', ...forensic, '--lang', 'de', '--json'];
      const here = await run([...args, '--data-dir', cwd], { cwd });
      const there = await run([...args, ...acme(), '--out', 'out'], { cwd });

      const own = recordsIn(here.stdout)[0]!;
      const record = recordsIn(there.stdout)[0]!;
      expect(there.code).toBe(0);
      expect(record).toMatchObject({
        file: 'scene.jpg',
        sha256: own.sha256,
        verdict: own.verdict,
        reasons: own.reasons,
        options: own.options,
        picture: { ...own.picture, notes: null },
        decision: null,
        error: null,
      });
      const { report, ...scores } = record.result!;
      expect(scores).toEqual({ ...own.result, report: undefined });
      expect(Object.keys(report!)).toEqual(['de']);
      expect(record.evidence!.findings).toEqual(own.evidence!.findings);
      const names = [
        ...['anomaly', 'compression', 'fake', 'real'].map((name) => `heatmap-${name}.png`),
        'report-de.pdf',
        'result.json',
      ];
      expect((await readdir(join(cwd, 'out/scene'))).toSorted()).toEqual(names);
      const png = await readFile(join(cwd, 'out/scene/heatmap-fake.png'));
      expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([160, 120]);
      const kept: AnalysisRecord = JSON.parse(
        await readFile(join(cwd, 'out/scene/result.json'), 'utf8'),
      );
      expect(kept).toEqual({ ...record, files: expect.arrayContaining(names) });
      expect(there.stderr).toContain(`Acting on the server ${serving.ready.url}\n`);
      expect(there.stderr.match(/evidence\.zip/g)).toHaveLength(1);
    },
    twoCommandsMs,
  );

  test('gives a card, also from standard input, and the exit code that --fail-on asks for', async () => {
    const ran = await run(['analyze', '-', ...acme(), '--fail-on', 'fake,uncertain,abstain'], {
      stdin: scene,
    });

    const headline = /^-: (No|Signs|The file|Undecided|The program)/m.exec(ran.stdout)?.[1] ?? '';
    const codes = { No: 0, Signs: 10, 'The file': 10, Undecided: 11, 'The program': 12 };
    expect(ran.code).toBe(new Map(Object.entries(codes)).get(headline));
    expect(ran.stdout).toMatch(/^ {2}Report +analysis [0-9a-f]{24}$/m);
  });

  test('that is missing or unreadable is not uploaded and does not stop the others', async () => {
    const cwd = await folderWithScene({
      'text.jpg': 'no picture',
      'cut.jpg': scene.subarray(0, 300),
      'a.webp': await sharp(scene).webp().toBuffer(),
    });
    const before = await countOnServer();
    const names = ['gone.jpg', 'text.jpg', 'cut.jpg', 'a.webp', 'scene.jpg'];
    const files = names.map((name) => join(cwd, name));
    const ran = await runHere(['analyze', ...files, ...acme(), '--jsonl']);
    const german = await runHere(['analyze', join(cwd, 'a.webp'), ...acme(), '--lang', 'de']);

    expect(ran.code).toBe(1);
    const codes = recordLines(ran.stdout).map(({ error }) => error?.code ?? null);
    const unusable = ['image_not_supported', 'image_unreadable', 'image_not_supported'];
    expect(codes).toEqual(['file_not_found', ...unusable, null]);
    expect(german.stderr).toContain('nur JPEG und PNG');
    expect(await countOnServer()).toBe(before + 1);
  });
});

describe('an error from the server', () => {
  test('is reported; an upload that the store rejects leaves no analysis', async () => {
    const large = Buffer.concat([scene, Buffer.alloc(mostUploadBytes)]);
    const cwd = await folderWithScene({ 'large.jpg': large });
    const before = await countOnServer();
    const files = ['large.jpg', 'scene.jpg'].map((name) => join(cwd, name));
    const ran = await runHere(['analyze', ...files, ...acme(), '--jsonl']);

    const [tooLarge, fine] = recordLines(ran.stdout);
    expect(ran.code).toBe(1);
    expect(tooLarge).toMatchObject({ analysisId: null, error: { code: 'blob_too_large' } });
    expect(fine).toMatchObject({ error: null });
    expect(await countOnServer()).toBe(before + 1);
  });

  test('about a damaged picture is a failed analysis, which --resume retries', async () => {
    const idat = pngChunk('IDAT', deflateSync(Buffer.alloc(100)));
    const damaged = [pngSignature, pngHeader(320, 240), idat, pngChunk('IEND', '')];
    const cwd = await folderWithScene({ 'damaged.png': Buffer.concat(damaged) });
    const args = ['analyze', join(cwd, 'damaged.png'), ...acme(), '--jsonl'];
    const before = await countOnServer();
    const first = await runHere(args);
    const [{ id, inferenceStatus }] = await analysesOnServer('damaged');
    const second = await runHere([...args, '--resume']);
    const [retried] = await analysesOnServer('damaged');

    const records = [first, second].map(({ stdout }) => recordLines(stdout)[0]);
    const error = { code: 'analysis_failed', message: expect.stringContaining('damaged') };
    for (const record of records) expect(record).toMatchObject({ analysisId: id, error });
    expect([first.code, second.code]).toEqual([1, 1]);
    expect(first.stderr).not.toContain('--resume');
    expect(retried.inferenceStatus.processingStartTime).not.toBe(
      inferenceStatus.processingStartTime,
    );
    expect(await countOnServer()).toBe(before + 1);
  });

  test('about a trial tenant’s own picture is passed on as is', async () => {
    const at = ['--tenant', 'trial', '--data-dir', dataDir, '--json'];
    await runHere(['tenant', 'create', 'trial', '--trial', '--data-dir', dataDir]);
    const made = await runHere(['keys', 'create', '--name', 'a', '--expires-in', '1d', ...at]);
    const { secret }: { secret: string } = JSON.parse(made.stdout);
    vi.stubEnv('FORENSICS_API_KEY', secret);
    const cwd = await folderWithScene();
    const file = join(cwd, 'scene.jpg');
    const ran = await runHere(['analyze', file, ...server(), '--tenant', 'trial', '--jsonl']);

    expect(ran.code).toBe(1);
    expect(recordLines(ran.stdout)).toMatchObject([{ error: { code: 'trial_image_mismatch' } }]);
  });
});

describe('an error that affects every picture', () => {
  test.for([
    ['a malformed key', 'sk-aaaaaaaa-nonsense', [], 3, 'well-formed API key'],
    ['another tenant', null, ['--tenant', 'other'], 3, 'may not act for this tenant'],
    ['an unreachable server', null, ['--url', 'https://127.0.0.1:1'], 6, '127.0.0.1:1'],
    ['an unknown model', null, ['--model', 'nope'], 4, 'Model not found'],
  ] as const)('%s ends the run with one line', async ([_what, key, flags, code, text]) => {
    const cwd = await folderWithScene({ 'second.jpg': scene });
    const files = ['scene.jpg', 'second.jpg'].map((name) => join(cwd, name));
    if (key !== null) vi.stubEnv('FORENSICS_API_KEY', key);
    const ran = await runHere(['analyze', ...files, ...acme(), ...flags]);

    const told = ran.stderr.split('\n').filter((line) => line.startsWith('forensics: '));
    expect(ran).toMatchObject({ code, stdout: '' });
    expect(told).toEqual([expect.stringContaining(text)]);
  });

  test.for([
    [['--maps', ...forensic, '--out', 'out'], '--maps applies to this machine only'],
    [['--without-original', ...forensic, '--out', 'out'], '--without-original applies to'],
    [['--data-dir', '.'], '--data-dir is for this machine'],
    [['--no-wait', '--out', 'out'], '--out needs results'],
  ] as const)('%j is refused before anything is sent', async ([flags, text]) => {
    const ran = await runHere(['analyze', 'scene.jpg', ...acme(), ...flags]);

    expect(ran).toEqual(refusedInOneLine(2, text));
  });

  test('--url requires --tenant, and --resume requires a server', async () => {
    const withoutTenant = await runHere(['analyze', 'scene.jpg', ...server()]);
    const here = await runHere(['analyze', 'scene.jpg', '--resume']);

    expect(withoutTenant).toEqual(refused(2, 'add --tenant NAME'));
    expect(here).toEqual(refused(2, '--resume only works with a server; add --url.'));
  });
});

describe('an analysis with --no-wait', () => {
  test('prints its id, and report fetches it later', async () => {
    const cwd = await folderWithScene();
    const [file, out] = [join(cwd, 'scene.jpg'), join(cwd, 'out')];
    const left = await runHere(['analyze', file, ...acme(), '--no-wait', '--jsonl']);
    const { analysisId, verdict, error } = recordLines(left.stdout)[0]!;
    const waited = await runHere(['analyze', file, ...acme(), '--resume', '--json']);
    const other = await folderWithScene({ 'scene/result.json': '{"sha256":"of another picture"}' });
    const inTheWay = await runHere(['analyze', file, ...acme(), '--resume', '--out', other]);
    const report = (...flags: string[]) =>
      runHere(['report', analysisId!, ...acme(), '--out', out, '--json', ...flags]);
    const flagging = await report();
    const again = await report();
    const replaced = await report('--force');

    expect([left.code, verdict, error]).toEqual([0, null, null]);
    expect(left.stderr).toContain('Fetch each with: forensics report ID --out FOLDER (and');
    expect(recordsIn(waited.stdout)).toMatchObject([{ analysisId, file }]);
    expect(inTheWay).toMatchObject({ code: 5, stdout: '' });
    expect(JSON.parse(flagging.stdout)).toMatchObject({ files: [join(out, 'result.json')] });
    expect(flagging.stderr).toContain('upgrade it in the console');
    expect(again).toMatchObject({ code: 5, stdout: '' });
    expect(replaced.code).toBe(0);
  });

  test('report explains a missing analysis and one without a result', async () => {
    const headers = { authorization: `ApiKey ${serving.ready.apiKey ?? ''}` };
    const body = { ...draft, tenantName: 'default' };
    const made = await serving.ask({ method: 'POST', path: '/v1/analysis', headers, body });
    const [{ id }] = made.json<{ data: [{ id: string }] }>().data;

    const pending = await runHere(['report', id, ...acme()]);
    const gone = await runHere(['report', '65f000000000000000000001', ...acme()]);
    const local = await runHere(['report', id, ...acme(), '--without-original']);

    expect([pending.code, gone.code, local.code]).toEqual([6, 4, 2]);
    expect(pending.stderr).toContain(`The analysis ${id} is pending: Waiting for the upload`);
    expect(local.stderr).toContain("made on the server's own machine");
  });
});

test(
  'a copy of a picture from another case is recognised',
  async () => {
    const original = await sceneJpeg({ width: 480, height: 320, seed: 70 });
    const copy = await sharp(original)
      .extract({ left: 60, top: 30, width: 380, height: 260 })
      .flop()
      .jpeg({ quality: 60 })
      .toBuffer();
    const dir = await folderWithScene({ 'original.jpg': original, 'copy.jpg': copy });

    await run(['analyze', join(dir, 'original.jpg'), ...acme(), '--case', '4099']);
    const forReport = ['--tier', 'forensicReporting', '--exhibit', 'E-1', '--examiner', 'Ada Berg'];
    const described = ['--project', '4711', ...forReport];
    const card = await run(['analyze', join(dir, 'copy.jpg'), ...acme(), ...described]);
    const listed = await asTenant('projectId=4711');
    const json = await run(['analyze', join(dir, 'copy.jpg'), ...acme(), '--json']);
    const csv = await run(['analyze', '-r', dir, ...acme(), '--csv']);

    expect(card.stdout).toMatch(/Seen before +original\.jpg, \d{4}-\d\d-\d\d, case 4099, mirrored/);
    const caseData = { exhibit: 'E-1', examiner: 'Ada Berg' };
    expect(listed.json()).toMatchObject({ data: [{ name: 'copy.jpg', caseData }] });
    expect(recordsIn(json.stdout)[0]!.seenBefore).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ name: 'original.jpg', projectId: '4099' }),
        expect.objectContaining({ name: 'copy.jpg', projectId: '4711' }),
      ]),
    );
    const [, ofCopy, ofOriginal] = csv.stdout.split('\r\n');
    expect(ofCopy).toMatch(/,,"original\.jpg, [\d-]{10}, case 4099, mirrored; copy\.jpg, [^"]+"$/);
    expect(ofOriginal).toMatch(
      /,\S*copy\.jpg,"original\.jpg, [\d-]{10}, case 4099; copy\.jpg, [^"]+"$/,
    );
  },
  twoCommandsMs,
);
