/**
 * Tippett plots side by side: the distribution of likelihood ratios of pictures with a known answer, and where this
 * picture stands.
 */

import { type Block, type Curve, type Plot, plotRange } from '../../present/sections/blocks.ts';
import type { Surroundings } from './draw-pictures.ts';
import type { Page } from './page.ts';
import { ink, sheet, styles, textWidth } from './style.ts';

type Curves = Extract<Block, { kind: 'curves' }>;

const gap = 24;
const box = { width: (textWidth - gap) / 2, height: 64 } as const;
const keyHeight = 2 * styles.note.leading + 14;

export function curvesHeight(_around: Surroundings, _block: Curves): number {
  return styles.entry.leading + box.height + keyHeight;
}

export function drawCurves(around: Surroundings, block: Curves): void {
  const { page } = around;
  const height = curvesHeight(around, block);
  page.reserve(height);
  const { y } = page;
  block.plots.forEach((plot, at) => {
    drawPlot(page, plot, { x: sheet.left + at * (box.width + gap), y });
  });
  page.y = y + height + 4;
}

interface Corner {
  readonly x: number;
  readonly y: number;
}

function drawPlot(page: Page, plot: Plot, { x, y }: Corner): void {
  const { title, axis, ticks, supporting, opposing, own, bounds } = plot;
  const { doc } = page;
  const top = y + styles.entry.leading;
  const bottom = top + box.height;
  page.mark('H4', () => page.put([title], styles.entry, x, y));
  const { from, to } = plotRange;
  // Values beyond the ends of the plot are drawn on its edge.
  const toX = (log: number) =>
    x + box.width * ((Math.min(to, Math.max(from, log)) - from) / (to - from));
  const alt = `${title}: ${supporting.name}, ${opposing.name}, ${own.name}`;
  page.mark(
    'Figure',
    () => {
      const [low, high] = bounds;
      doc.rect(toX(low), top, toX(high) - toX(low), box.height).fill(ink.panel);
      doc.rect(x, top, box.width, box.height).lineWidth(0.4).stroke(ink.rule);
      drawCurve(supporting, ink.accent);
      drawCurve(opposing, ink.range);
      doc.moveTo(toX(own.at), top).lineTo(toX(own.at), bottom);
      doc.lineWidth(1).dash(2, { space: 2 }).stroke(ink.text).undash();
      doc.font(styles.note.font).fontSize(styles.note.size).fillColor(ink.muted);
      ticks.forEach((text, at) => {
        const left = x + ((box.width - doc.widthOfString(text)) * at) / (ticks.length - 1);
        doc.text(text, left, bottom + 2, { lineBreak: false });
      });
    },
    { alt },
  );
  const key = page.lines(axis, styles.note, box.width);
  page.mark('P', () => page.put(key, styles.note, x, bottom + 12));
  drawKey(page, plot, { x, y: bottom + 12 + styles.note.leading });

  function drawCurve({ points }: Curve, colour: string): void {
    points.forEach(([log, share], at) => {
      const [px, py] = [toX(log), bottom - share * box.height];
      if (at === 0) doc.moveTo(toX(from), top).lineTo(px, py);
      else doc.lineTo(px, py);
    });
    doc.lineTo(toX(to), bottom).lineWidth(1.2).stroke(colour);
  }
}

function drawKey(page: Page, { supporting, opposing, own }: Plot, { x, y }: Corner): void {
  const entries = [
    [supporting.name, ink.accent],
    [opposing.name, ink.range],
    [own.name, ink.text],
  ] as const;
  let left = x;
  for (const [name, colour] of entries) {
    page.decorate(() => page.doc.rect(left, y + 4, 8, 2).fill(colour));
    const at = left + 11;
    page.mark('P', () => page.put([name], styles.note, at, y));
    left = at + page.widthOf(name, styles.note) + 12;
  }
}
