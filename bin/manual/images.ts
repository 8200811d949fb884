/**
 * The images of README.md: the drawn scene of its example, examined, as a page of the report and as
 * a heatmap. Also those of the manual: first pages of reports.
 */

import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import sharp from 'sharp';
import { root } from './manual.ts';
import { drawReports } from './reports.ts';
import { openStage } from './stage.ts';

const reportWidth = 620;
/** Of the original, and of the heatmap below it. */
const heatmapWidth = 480;

export async function drawImages(): Promise<void> {
  const stage = await openStage();
  const images = join(root, 'src/manual/images');
  mkdirSync(images, { recursive: true });
  try {
    const { code, text } = await stage.shell(`set -e
      npm run --silent draw -- scene.jpg
      forensics analyze scene.jpg --tier forensicReporting --out results --quiet
      pdftoppm -png -r 110 -f 1 -singlefile results/scene/report-en.pdf page`);
    if (code !== 0) throw new Error(text);
    const page = sharp(join(stage.folder, 'page.png')).resize({ width: reportWidth });
    writeFileSync(join(images, 'report.png'), await page.png({ palette: true }).toBuffer());
    const heatmap = await oneAboveTheOther(
      join(stage.folder, 'scene.jpg'),
      join(stage.folder, 'results/scene/heatmap-fake.png'),
    );
    writeFileSync(join(images, 'heatmap.png'), heatmap);
    for (const [path, pdf] of await drawReports()) {
      writeFileSync(join(stage.folder, 'report.pdf'), pdf);
      await stage.shell('pdftoppm -png -r 110 -f 1 -singlefile report.pdf report');
      const first = sharp(join(stage.folder, 'report.png')).resize({ width: reportWidth });
      // A small palette keeps a page below 60 kB.
      const image = await first.png({ palette: true, colours: 16, dither: 0 }).toBuffer();
      mkdirSync(dirname(join(root, 'src/manual', path)), { recursive: true });
      writeFileSync(join(root, 'src/manual', path), image);
    }
  } finally {
    await stage.close();
  }
}

async function oneAboveTheOther(original: string, heatmap: string): Promise<Buffer> {
  const [top, below] = await Promise.all(
    [original, heatmap].map((path) => sharp(path).resize({ width: heatmapWidth }).png().toBuffer()),
  );
  const height = (heatmapWidth * 3) / 4;
  return sharp({
    create: { width: heatmapWidth, height: 2 * height + 8, channels: 3, background: 'white' },
  })
    .composite([
      { input: top!, left: 0, top: 0 },
      { input: below!, left: 0, top: height + 8 },
    ])
    .png({ palette: true, colours: 128 })
    .toBuffer();
}
