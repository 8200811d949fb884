/**
 * The image of a terminal for the manual's page on many pictures: a batch of 300 drawn pictures, one
 * of them incomplete, in a real session, while it runs and at its end. Needs tmux.
 */

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { landscapePng } from './landscape.ts';
import { root } from './manual.ts';
import { openStage, type Stage } from './stage.ts';

const tmux = 'tmux -S ~/tmux';
const columns = 93;
const longestMinutes = 40;

export async function drawTerminalImage(): Promise<void> {
  const stage = await openStage();
  try {
    await furnishClaims(join(stage.folder, 'claims'));
    await stage.shell(`export TERM=xterm-256color LC_ALL=C.UTF-8
      ${tmux} -f /dev/null new-session -d -x ${columns} -y 10 "PS1='$ ' exec bash --norc"`);
    await screenWith(stage, '^[$]');
    const command = 'forensics analyze -r claims --jobs 1 --csv > results.csv';
    await stage.shell(`${tmux} send-keys '${command}' Enter`);
    const running = await screenWith(stage, ' 1[0-9][0-9]/301');
    const ended = await screenWith(stage, '^300 pictures');
    const image = await drawScreens([running, ended]);
    writeFileSync(join(root, 'src/manual/images/batch.png'), image);
  } finally {
    await stage.shell(`${tmux} kill-server`);
    await stage.close();
  }
}

async function furnishClaims(folder: string): Promise<void> {
  mkdirSync(folder);
  writeFileSync(join(folder, 'notes.txt'), 'Hail on the roof, 4 May.\n');
  const part = { width: 400, height: 300 };
  let scene: Buffer | undefined;
  for (let at = 0; at < 300; at++) {
    // Cut from twenty scenes, which is faster than drawing as many.
    const left = 60 * (at % 5);
    const top = 90 * Math.floor((at % 15) / 5);
    if (at % 15 === 0) scene = await landscapePng({ width: 640, height: 480, seed: 500 + at });
    const picture = await sharp(scene)
      .extract({ left, top, ...part })
      .jpeg({ quality: 90 })
      .toBuffer();
    const name = `claim-${String(at + 1).padStart(3, '0')}.jpg`;
    writeFileSync(join(folder, name), at === 6 ? picture.subarray(0, picture.length / 2) : picture);
  }
}

/** What the terminal shows once a line matches. */
async function screenWith(stage: Stage, line: string): Promise<string> {
  const look = `for second in {1..60}; do
      ${tmux} capture-pane -p > screen; grep -q '${line}' screen && cat screen && exit; sleep 1
    done; exit 1`;
  for (let minute = 0; minute < longestMinutes; minute++) {
    // oxlint-disable-next-line no-await-in-loop -- a stage ends what takes longer
    const { code, text } = await stage.shell(look);
    if (code === 0) return text.trimEnd();
  }
  throw new Error(`The terminal did not show "${line}".`);
}

/** One above the other. */
async function drawScreens(screens: readonly string[]): Promise<Buffer> {
  const [letterWidth, lineHeight, margin] = [8.4, 20, 16];
  const width = 2 * margin + columns * letterWidth;
  let height = 0;
  const panels = screens.map((screen) => {
    const lines = screen.split('\n').map((line, at) => {
      const safe = line.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
      const y = height + margin + 14 + at * lineHeight;
      return `<text x="${margin}" y="${y}" xml:space="preserve">${safe}</text>`;
    });
    const panelHeight = 2 * margin + lines.length * lineHeight;
    const ground = `<rect y="${height}" width="100%" height="${panelHeight}" rx="8" fill="#11171c"/>`;
    height += panelHeight + margin;
    return ground + lines.join('');
  });
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height - margin}">
    <g font-family="DejaVu Sans Mono, monospace" font-size="14" fill="#e8edf0">${panels.join('')}</g></svg>`;
  return sharp(Buffer.from(svg)).png({ palette: true, colours: 16 }).toBuffer();
}
