/** The result in short: what the evidence speaks for, beside the picture. */

import type { Surroundings } from './draw-heatmap.ts';
import { drawFigure, placeFigure } from './figure.ts';
import { ink, sheet, styles, textWidth } from './sheet.ts';

const inset = 14;
const belowHead = 5;
const below = 10;

/** One look for all four outcomes on purpose: a red frame would weigh more than its figures. */
export function drawVerdict(
  { page, images, size, labels }: Surroundings,
  { headline, text }: { readonly headline: string; readonly text: string },
): void {
  const { doc } = page;
  const placement = placeFigure(size, { width: 150, height: 120 });
  const wordsWidth = textWidth - 3 * inset - placement.width;
  const head = page.lines(headline, styles.headline, wordsWidth);
  const words = page.lines(text, styles.body, wordsWidth);
  const headHeight = head.length * styles.headline.leading + belowHead;
  const wordsHeight = headHeight + words.length * styles.body.leading;
  const height = Math.max(wordsHeight, placement.height) + 2 * inset;
  page.reserve(height + below);
  const left = sheet.left + inset;
  const top = page.y + inset;
  page.decorate(() => {
    doc.rect(sheet.left, page.y, textWidth, height).fill(ink.panel);
    doc.rect(sheet.left, page.y, 3, height).fill(ink.accent);
  });
  page.mark('P', () => page.put(head, styles.headline, left, top));
  page.mark('P', () => page.put(words, styles.body, left, top + headHeight));
  const x = sheet.right - inset - placement.width;
  const figure = { image: images.original, size, placement, x, y: top };
  page.mark('Figure', () => drawFigure(doc, figure), { alt: labels.original });
  page.y += height + below;
}
