/**
 * `npm run manual`: the generated pages, and the outputs of all examples from a new run, also in the German pages.
 * `npm run manual -- --reference`: only those pages.
 * `npm run manual -- --images`: only the images; needs pdftoppm (poppler-utils), tmux and Chromium.
 */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readOptions } from '../usage.ts';
import { blocksOf, germanOf, pages, readPage, root, withBlock, withBlocksOf } from './manual.ts';
import { wayOf } from './ways.ts';

const only = readOptions(import.meta.url, {
  reference: { type: 'boolean', default: false },
  images: { type: 'boolean', default: false },
});
// What only one of the runs needs is loaded for it.
if (only.images) {
  const { drawImages } = await import('./images.ts');
  const { drawTerminalImage } = await import('./terminal-image.ts');
  const { drawConsoleImages } = await import('./console-images.ts');
  await drawImages();
  await drawTerminalImage();
  await drawConsoleImages();
} else {
  const { referencePages } = await import('./reference.ts');
  for (const [page, text] of Object.entries(await referencePages())) save(page, text);
  if (!only.reference) await renewExamples();
  for (const page of pages.slice(1)) {
    save(germanOf(page), withBlocksOf(readPage(page), readPage(germanOf(page))));
  }
}

async function renewExamples(): Promise<void> {
  const { openStage } = await import('./stage.ts');
  const { play } = await import('./play.ts');
  const stage = await openStage();
  try {
    for (const page of pages) {
      for (const block of blocksOf(readPage(page))) {
        // oxlint-disable-next-line no-await-in-loop -- each block builds on those before it
        const played = await play(stage, block, wayOf[block.name] ?? 'file').catch(told);
        if (played !== null) save(page, withBlock(readPage(page), block, played));
      }
    }
  } finally {
    await stage.close();
  }
}

function save(page: string, text: string): void {
  writeFileSync(join(root, page), text);
}

/** If one script fails, the other outputs are still kept. */
function told(error: unknown): null {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
  return null;
}
