/** The table of findings: one row per method, with the method's map if it points to a place. */

import { drawFigure, placeFigure } from '../heatmap/print-pictures.ts';
import type { Block, FindingBlock } from '../../present/sections/blocks.ts';
import type { Surroundings } from './draw-pictures.ts';
import { endRow, type Tag } from './page.ts';
import { sheet, styles } from './style.ts';

type Findings = Extract<Block, { kind: 'findings' }>;

const box = { width: 92, height: 66 } as const;
const gap = 10;
const padding = 3;
const strengthWidth = 104;
const panelX = sheet.right - box.width;

/** If no method points to a place, the text takes up the space of the maps. */
function toColumns({ rows }: Pick<Findings, 'rows'>) {
  const hasPanels = rows.some(({ panel }) => panel !== null);
  const strengthX = (hasPanels ? panelX - gap : sheet.right) - strengthWidth;
  return { hasPanels, strengthX, textColumn: strengthX - gap - sheet.left };
}
type Columns = ReturnType<typeof toColumns>;

/** Height of the whole table or, if that is too long to keep together, of its header and first rows. */
export function minFindingsHeight(around: Surroundings, { rows }: Findings): number {
  const columns = toColumns({ rows });
  const heights = rows.map((row) => measure(around, row, columns).height);
  const whole = rowHeight(heights);
  return whole <= maxFindings ? whole : rowHeight(heights.slice(0, 3));
}

function rowHeight(rows: readonly number[]): number {
  return rows.reduce((sum, one) => sum + one, headHeight);
}

/** In points, three fifths of a page, because this is the one table that readers compare row by row. */
const maxFindings = 0.6 * (sheet.bottom - sheet.top);

const headHeight = styles.head.leading + 2 * padding;

export function drawFindings(around: Surroundings, { columns: titles, rows }: Findings): void {
  const { page } = around;
  const columns = toColumns({ rows });
  const heads = columns.hasPanels ? titles : titles.slice(0, 2);
  const table = page.group('Table');
  page.reserve(minFindingsHeight(around, { kind: 'findings', columns: titles, rows }));
  const head = page.group('TR', table);
  drawHead(around, { heads, columns, parent: head });
  head.end();
  for (const row of rows) {
    const { height } = measure(around, row, columns);
    if (page.y + height > sheet.bottom) {
      page.reserve(height);
      drawHead(around, { heads, columns, parent: null });
    }
    drawRow(around, row, { columns, table });
  }
  table.end();
  page.y += 8;
}

interface Head {
  readonly heads: readonly string[];
  readonly columns: Columns;
  /** Null for a repeated header, which screen readers skip. */
  readonly parent: Tag | null;
}

function drawHead({ page }: Surroundings, { heads, columns, parent }: Head): void {
  const places = [sheet.left, columns.strengthX, panelX];
  heads.forEach((title, at) => {
    const draw = () => page.put([title], styles.head, places[at]!, page.y + padding);
    if (parent === null) page.decorate(draw);
    else page.mark('TH', draw, { parent });
  });
  endRow(page, headHeight, 0.8);
}

function drawRow(
  around: Surroundings,
  row: FindingBlock,
  { columns, table }: { readonly columns: Columns; readonly table: Tag },
): void {
  const { page, size } = around;
  const { title, text, strength, image, height } = measure(around, row, columns);
  const parent = page.group('TR', table);
  const top = page.y + padding;
  const textTop = top + title.length * styles.entry.leading;
  const cell = page.group('TD', parent);
  page.mark('P', () => page.put(title, styles.entry, sheet.left, top), { parent: cell });
  page.mark('P', () => page.put(text, styles.small, sheet.left, textTop), { parent: cell });
  cell.end();
  page.mark('TD', () => page.put(strength, styles.small, columns.strengthX, top + 1), { parent });
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

function measure({ page, images, size }: Surroundings, row: FindingBlock, { textColumn }: Columns) {
  const image = row.panel === null ? undefined : images.methods[row.panel];
  const title = page.lines(row.title, styles.entry, textColumn);
  const text = page.lines(row.text, styles.small, textColumn);
  const strength = page.lines(row.strength, styles.small, strengthWidth);
  const words = title.length * styles.entry.leading + text.length * styles.small.leading;
  const figure = image === undefined ? 0 : placeFigure(size, box).height;
  return { image, title, text, strength, height: Math.max(words, figure) + 2 * padding };
}
