/** The images of README.md: the drawn scene of its example, examined, as a page of the report and as a heatmap. */

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { root } from './manual.ts';
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
