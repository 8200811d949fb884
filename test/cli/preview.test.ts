import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { WriteStream } from 'node:tty';
import { expect, test } from 'vitest';
import { boxOf, previewText, screenOf } from '../../src/cli/analyze/preview.ts';
import { sceneJpeg } from '../fixtures/pictures.ts';
import { runInTerminal } from './in-terminal.ts';
import { emptyFolder, runCli } from './run-cli.ts';

const getColorDepth = (given: object) => WriteStream.prototype.getColorDepth(given);
const terminal = { isTTY: true, columns: 100, rows: 30, getColorDepth };
const env = { TERM: 'xterm-256color', LANG: 'en_GB.UTF-8' };

test.for([
  ['many colours', { ...env, COLORTERM: 'truecolor' }, 24],
  ['256 colours', env, 8],
  ['no locale, as in a container', { TERM: 'xterm-256color' }, 8],
] as const)('a terminal of %s shows previews', ([, given, depth]) => {
  expect(screenOf(terminal, given)).toEqual({ columns: 100, rows: 30, depth });
});

test.for([
  ['a pipe', { ...terminal, isTTY: false }, env, 'not a terminal'],
  ['few colours', terminal, { ...env, TERM: 'linux' }, '256 colours'],
  ['no colours wanted', terminal, { ...env, NO_COLOR: '1' }, 'NO_COLOR'],
  ['dumb', terminal, { ...env, TERM: 'dumb' }, 'TERM'],
  ['another charset', terminal, { ...env, LC_ALL: 'de_DE.ISO-8859-1' }, 'UTF-8'],
  ['a slit', { ...terminal, columns: 20 }, env, 'fewer than 24 columns'],
] as const)('%s shows none, and the reason is told', ([, stream, given, reason]) => {
  expect(screenOf(stream, given)).toContain(reason);
});

test.for([24, 60, 100, 300])('in %i columns picture, heatmap and words fit', (columns) => {
  const screen = { columns, rows: 30, depth: 24 } as const;
  const { width, height } = boxOf(screen);
  const rgb = new Uint8Array(3 * width * height);

  const text = previewText('a.jpg', { width, height, picture: rgb, heatmap: rgb }, screen);

  const lines = plain(text).trimEnd().split('\n');
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(columns);
  expect(lines.filter((line) => line.includes('▀'))).toHaveLength(height / 2);
  expect(height / 2).toBeLessThanOrEqual(screen.rows - 8);
});

function plain(text: string): string {
  // oxlint-disable-next-line no-control-regex -- escape sequences begin with a control character
  return text.replaceAll(/\u001b\[[\d;]*m/g, '');
}

test('a picture is drawn above its card', async () => {
  const cwd = await emptyFolder();
  await writeFile(join(cwd, 'scene.jpg'), await sceneJpeg({ width: 300, height: 200, seed: 3 }));

  const { raw, text, code } = await runInTerminal(['analyze', 'scene.jpg', '--preview'], {
    cwd,
    columns: 60,
    env: { COLORTERM: 'truecolor' },
  });

  expect(code).toBe(0);
  expect(raw).toContain('\u001b[38;2;');
  expect(text).toMatch(/(?:^ {2}▀{28} {2}▀{28}\n){9}/m);
  expect(text.indexOf('▀')).toBeLessThan(text.indexOf('SHA-256'));
});

test('without a terminal one line says why there is no preview, and the run goes on', async () => {
  const ran = await runCli(['analyze', 'gone.jpg', '--preview']);

  expect(ran).toEqual({
    code: 4,
    signal: null,
    stdout: '',
    stderr:
      'No preview: standard output is not a terminal.\nforensics: gone.jpg: There is no such file.\n',
  });
});
