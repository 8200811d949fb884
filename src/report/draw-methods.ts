/** Where single methods point: a small picture for each, and beside it what the method says. */

import type { MethodBlock } from './blocks.ts';
import type { Surroundings } from './draw-heatmap.ts';
import { drawFigure, placeFigure } from './figure.ts';
import { sheet, styles, textWidth } from './sheet.ts';

/** Points: less than half a column of the heatmaps, so that all methods of today fit on a page. */
const box = { width: 100, height: 75 };
const gaps = { beside: 12, below: 9 };
const textLeft = sheet.left + box.width + gaps.beside;
const besideWidth = textWidth - box.width - gaps.beside;

/** Points that the first of them takes at most, but for a very long text. */
export const leastMethodHeight = box.height;

export function drawMethods(around: Surroundings, blocks: readonly MethodBlock[]): void {
  for (const block of blocks) drawMethod(around, block);
}

function drawMethod({ page, images, size }: Surroundings, block: MethodBlock): void {
  const image = images.methods[block.method];
  if (image === undefined) throw new TypeError(`the map of ${block.method} was not drawn`);
  const placement = placeFigure(size, box);
  const parts = [
    ['H4', block.title, styles.entry],
    ['P', block.text, styles.cell],
    ['P', block.note, styles.note],
  ] as const;
  const texts = parts.map(([tag, text, style]) => ({
    tag,
    style,
    lines: page.lines(text, style, besideWidth),
  }));
  const textHeight = texts.reduce((sum, { lines, style }) => sum + lines.length * style.leading, 0);
  const height = Math.max(placement.height, textHeight);
  page.reserve(height);
  const { doc, y } = page;
  page.mark('Figure', () => drawFigure(doc, { image, size, placement, x: sheet.left, y }), {
    alt: `${block.title}. ${block.text}`,
  });
  let top = y;
  for (const { tag, lines, style } of texts) {
    const at = top;
    page.mark(tag, () => page.put(lines, style, textLeft, at));
    top += lines.length * style.leading;
  }
  page.y = y + height + gaps.below;
}
