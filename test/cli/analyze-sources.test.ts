import { createServer, type RequestListener } from 'node:http';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { listen } from '../fixtures/listen.ts';
import { makePdf } from '../fixtures/pdf-file.ts';
import { sceneJpeg } from '../fixtures/pictures.ts';
import { runCli } from './run-cli.ts';
import { folderWith, recordsIn } from './working-folder.ts';

const scene = await sceneJpeg({ width: 160, height: 120, seed: 7 });
/** 52 x 37 mm in points: a page is rendered at 150 pixels an inch and examined, which takes much longer for A4. */
const size: [number, number] = [148.82, 104.88];
const claim = await makePdf((pdf) => pdf.text('Claim 4711').image(scene, 60, 40, { width: 60 }), {
  size,
  margin: 10,
});
/** A page consisting of one picture, to save examinations. */
const scanned = await makePdf(
  (pdf) => pdf.image(scene, 0, 0, { width: size[0], height: size[1] }),
  { size },
);

describe('a PDF', () => {
  test('yields its embedded pictures unchanged, and its pages', async () => {
    const cwd = await folderWith({ 'claim.pdf': claim, 'scene.jpg': scene });
    const ran = await runCli(['analyze', 'claim.pdf', 'scene.jpg', '--json'], { cwd });
    const [picture, page, alone] = recordsIn(ran.stdout);

    expect([picture!.file, page!.file]).toEqual([
      'claim.pdf, page 1, picture 1',
      'claim.pdf, page 1',
    ]);
    expect(picture!.sha256).toBe(alone!.sha256);
    expect(picture!.verdict).toBe(alone!.verdict);
    expect(picture!.origins).toMatchObject([
      { kind: 'pdf', name: 'claim.pdf', page: 1, picture: 1 },
    ]);
    expect(page!.picture).toMatchObject({ format: 'png', width: 311, height: 219 });
    expect(alone!.origins).toEqual([]);
  });

  test('is cited in the report and the bundle with page and position', async () => {
    const cwd = await folderWith({ 'claim.pdf': scanned });
    const command =
      'analyze claim.pdf --tier forensicReporting --html --without-original --out out';
    const ran = await runCli(command.split(' '), { cwd });
    const folder = join(cwd, 'out', 'claim.pdf, page 1, picture 1');
    const report = await readFile(join(folder, 'report-en.html'), 'utf8');
    const bundle = join(folder, 'evidence.zip');
    const verified = await runCli(['verify', bundle], { cwd });
    const repeated = await runCli(['reproduce', bundle, '--original', 'claim.pdf'], { cwd });

    expect(ran.code).toBe(0);
    expect(repeated).toMatchObject({ code: 0, stdout: expect.stringContaining('IDENTICAL') });
    expect(report).toContain(
      'page 1, picture 1, 53 × 37 mm, 0 mm from the left and 0 mm from the top',
    );
    expect(verified.code).toBe(0);
  });

  test('is read from standard input, and found in a folder', async () => {
    const cwd = await folderWith({ 'claims/claim.pdf': scanned, 'claims/note.txt': 'Hello' });
    const read = await runCli(['analyze', '-', '--json'], { stdin: scanned });
    const found = await runCli(['analyze', '-r', 'claims', '--json'], { cwd });

    expect(recordsIn(read.stdout).map(({ file }) => file)).toEqual(['stdin, page 1, picture 1']);
    expect(recordsIn(found.stdout)).toMatchObject([
      { file: 'claims/claim.pdf, page 1, picture 1', error: null },
      { file: 'claims/note.txt', skipped: { code: 'not_a_picture', kind: 'text' } },
    ]);
  });

  test('that needs a password fails with an explanation', async () => {
    const locked = await makePdf((pdf) => pdf.text('secret'), { userPassword: 'x' });
    const cwd = await folderWith({ 'locked.pdf': locked });
    const ran = await runCli(['analyze', 'locked.pdf'], { cwd });

    expect(ran).toMatchObject({ code: 1, stderr: expect.stringContaining('needs a password') });
  });
});

describe('a web address', () => {
  const env = { FORENSICS_FETCH_ALLOW: '127.0.0.0/8' };

  test('is fetched, and its redirects and headers are recorded', async () => {
    const origin = await serve((request, response) => {
      if (request.url === '/old') response.writeHead(302, { location: '/new.jpg' }).end();
      else response.writeHead(200, { 'content-type': 'image/jpeg', etag: '"7"' }).end(scene);
    });
    const ran = await runCli(['analyze', `${origin}/old`, '--json'], { env });
    const [record] = recordsIn(ran.stdout);

    expect(record).toMatchObject({
      file: `${origin}/old`,
      error: null,
      origins: [{ kind: 'url', redirects: [`${origin}/new.jpg`], headers: { etag: '"7"' } }],
    });
  });

  test('of a PDF yields its contents', async () => {
    const origin = await serve((_request, response) => response.end(scanned));
    const ran = await runCli(['analyze', `${origin}/claim.pdf`, '--json'], { env });

    expect(recordsIn(ran.stdout).map(({ origins }) => origins.map(({ kind }) => kind))).toEqual([
      ['url', 'pdf'],
    ]);
  });

  test.for([
    ['that is missing', { status: 404 }, /returned status 404 instead of a picture/, 4],
    ['that redirects endlessly', { status: 302 }, /redirects endlessly/, 3],
  ] as const)('%s fails with an explanation', async ([, { status }, message, code]) => {
    const origin = await serve((_request, response) => {
      response.writeHead(status, { location: '/again' }).end();
    });
    const ran = await runCli(['analyze', `${origin}/a.jpg`], { env });

    expect(ran).toMatchObject({ code, stderr: expect.stringMatching(message) });
  });

  const closed = 'http://127.0.0.1:9/a.jpg';
  test.for([
    ['inside the network', closed, {}, /only if the fetchAllow setting allows it/],
    ['where nothing is listening', closed, env, /could not be reached \(ECONNREFUSED\)/],
    ['with a password', 'https://me:secret@example.org/a.jpg', {}, /not contain a password/],
  ] as const)('%s is not fetched, and the message says why', async ([, url, set, message]) => {
    const ran = await runCli(['analyze', url], { env: set });

    expect(ran.code).not.toBe(0);
    expect(ran.stderr).toMatch(message);
  });
});

async function serve(answer: RequestListener): Promise<string> {
  return `http://127.0.0.1:${await listen(createServer(answer))}`;
}
