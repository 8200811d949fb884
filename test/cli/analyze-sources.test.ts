import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { makePdf } from '../fixtures/pdf-file.ts';
import { sceneJpeg } from '../fixtures/pictures.ts';
import { runCli } from './run-cli.ts';
import { folderWith, recordsIn } from './working-folder.ts';

let scene: Buffer;
let claim: Uint8Array;
/** A page consisting of one picture, to save examinations. */
let scanned: Uint8Array;
/** 52 x 37 mm in points: a page is rendered at 150 pixels an inch and examined, which takes much longer for A4. */
const paper: [number, number] = [148.82, 104.88];

beforeAll(async () => {
  scene = await sceneJpeg({ width: 160, height: 120, seed: 7 });
  claim = await makePdf((pdf) => pdf.text('Claim 4711').image(scene, 60, 40, { width: 60 }), {
    size: paper,
    margin: 10,
  });
  scanned = await makePdf((pdf) => pdf.image(scene, 0, 0, { width: paper[0], height: paper[1] }), {
    size: paper,
  });
});

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
    const ran = await runCli(
      ['analyze', 'claim.pdf', '--tier', 'forensicReporting', '--html', '--out', 'out'],
      { cwd },
    );
    const folder = join(cwd, 'out', 'claim.pdf, page 1, picture 1');
    const report = await readFile(join(folder, 'report-en.html'), 'utf8');
    const verified = await runCli(['verify', join(folder, 'evidence.zip')], { cwd });

    expect(ran.code).toBe(0);
    expect(report).toContain(
      'page 1, picture 1, 53 × 37 mm, 0 mm from the left and 0 mm from the top',
    );
    expect(verified.code).toBe(0);
  });

  test('that needs a password fails with an explanation', async () => {
    const locked = await makePdf((pdf) => pdf.text('secret'), { userPassword: 'x' });
    const cwd = await folderWith({ 'locked.pdf': locked });
    const ran = await runCli(['analyze', 'locked.pdf'], { cwd });

    expect(ran).toMatchObject({ code: 1, stderr: expect.stringContaining('needs a password') });
  });
});
