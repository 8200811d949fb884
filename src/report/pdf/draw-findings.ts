/** The table of findings: each method once, with its own map where it points somewhere. */

import { drawFigure, placeFigure } from '../heatmap/print-pictures.ts';
import type { Block, FindingBlock } from '../sections/blocks.ts';
import type { Surroundings } from './draw-pictures.ts';
import type { Tag } from './page.ts';
import { ink, sheet, styles, textWidth } from './style.ts';

type Findings = Extract<Block, { kind: 'findings' }>;

const box = { width: 92, height: 66 } as const;
const gap = 10;
const padding = 3;
const strengthWidth = 104;
const textColumn = textWidth - box.width - strengthWidth - 2 * gap;
const strengthX = sheet.left + textColumn + gap;
const panelX = strengthX + strengthWidth + gap;

/** Head and first row. */
export function leastFindingsHeight(around: Surroundings, { rows }: Findings): number {
  const [first] = rows;
  return headHeight + (first === undefined ? 0 : measure(around, first).height);
}

const headHeight = styles.head.leading + 2 * padding;

export function drawFindings(around: Surroundings, { columns, rows }: Findings): void {
  const { page } = around;
  const table = page.group('Table');
  page.reserve(leastFindingsHeight(around, { kind: 'findings', columns, rows }));
  const head = page.group('TR', table);
  drawHead(around, columns, head);
  head.end();
  for (const row of rows) {
    const { height } = measure(around, row);
    if (page.y + height > sheet.bottom) {
      page.reserve(height);
      drawHead(around, columns, null);
    }
    drawRow(around, row, table);
  }
  table.end();
  page.y += 8;
}

/** Said once; the eye alone needs it again on the next page. */
function drawHead({ page }: Surroundings, columns: Findings['columns'], parent: Tag | null): void {
  const places = [sheet.left, strengthX, panelX];
  columns.forEach((title, at) => {
    const draw = () => page.put([title], styles.head, places[at]!, page.y + padding);
    if (parent === null) page.decorate(draw);
    else page.mark('TH', draw, { parent });
  });
  endRow(page, headHeight, 0.8);
}

function drawRow(around: Surroundings, row: FindingBlock, table: Tag): void {
  const { page, size } = around;
  const { title, text, strength, image, height } = measure(around, row);
  const parent = page.group('TR', table);
  const top = page.y + padding;
  const textTop = top + title.length * styles.entry.leading;
  const cell = page.group('TD', parent);
  page.mark('P', () => page.put(title, styles.entry, sheet.left, top), { parent: cell });
  page.mark('P', () => page.put(text, styles.small, sheet.left, textTop), { parent: cell });
  cell.end();
  page.mark('TD', () => page.put(strength, styles.small, strengthX, top + 1), { parent });
  if (image !== undefined) {
    const placement = placeFigure(size, box);
    const figure = { image, size, placement, x: panelX, y: top };
    page.mark('Figure', () => drawFigure(page.doc, figure), {
      alt: `${row.title}. ${row.text}`,
      parent,
    });
  }
  parent.end();
  endRow(page, height, 0.4);
}

function measure({ page, images, size }: Surroundings, row: FindingBlock) {
  const image = row.panel === null ? undefined : images.methods[row.panel];
  const title = page.lines(row.title, styles.entry, textColumn);
  const text = page.lines(row.text, styles.small, textColumn);
  const strength = page.lines(row.strength, styles.small, strengthWidth);
  const words = title.length * styles.entry.leading + text.length * styles.small.leading;
  const figure = image === undefined ? 0 : placeFigure(size, box).height;
  return { image, title, text, strength, height: Math.max(words, figure) + 2 * padding };
}

function endRow(page: Surroundings['page'], height: number, lineWidth: number): void {
  page.y += height;
  page.decorate(() => {
    page.doc.moveTo(sheet.left, page.y).lineTo(sheet.right, page.y);
    page.doc.lineWidth(lineWidth).stroke(ink.rule);
  });
}
