/** A table with columns. Its header is repeated on every page. */

import type { Grid, GridRow } from '../../present/sections/blocks.ts';
import { endRow, type Page, type Tag } from './page.ts';
import { maxWhole, sheet, type Style, styles, textWidth } from './style.ts';

const padding = 1.7;
const columnGap = 8;

interface Column {
  readonly x: number;
  readonly width: number;
}

export function drawGrid(page: Page, grid: Grid): void {
  const columns = toColumns(grid);
  const table = page.group('Table');
  page.reserve(minGridHeight(page, grid));
  drawHead(page, grid, table);
  for (const row of grid.rows) {
    const height = measureRow(page, columns, row);
    if (page.y + height > sheet.bottom) {
      page.reserve(height);
      if (hasHead(grid)) {
        // Read aloud once; the repetition is only visual.
        page.decorate(() => putCells(page, columns, toTitles(grid), styles.head));
        endRow(page, measureCells(page, columns, toTitles(grid), styles.head), 0.8);
      }
    }
    drawRow(page, { columns, row, height, table });
  }
  table.end();
  page.y += 8;
}

/** The whole table or, unless it is short, its header and first rows, which stay together and with the heading above. */
export function minGridHeight(page: Page, grid: Grid): number {
  const columns = toColumns(grid);
  const head = hasHead(grid) ? measureCells(page, columns, toTitles(grid), styles.head) : 0;
  const whole = grid.rows.reduce((sum, row) => sum + measureRow(page, columns, row), head);
  if (whole <= maxWhole) return whole;
  return grid.rows.slice(0, 2).reduce((sum, row) => sum + measureRow(page, columns, row), head);
}

function toColumns({ columns }: Grid): readonly Column[] {
  let x: number = sheet.left;
  return columns.map(({ share }) => {
    const column = { x, width: share * textWidth - columnGap };
    x += share * textWidth;
    return column;
  });
}

/** Columns without names have no header either. */
function hasHead({ columns }: Grid): boolean {
  return columns.some(({ title }) => title !== '');
}

function toTitles({ columns }: Grid): readonly string[] {
  return columns.map(({ title }) => title);
}

function drawHead(page: Page, grid: Grid, table: Tag): void {
  if (!hasHead(grid)) return;
  const columns = toColumns(grid);
  const titles = toTitles(grid);
  const height = measureCells(page, columns, titles, styles.head);
  const parent = page.group('TR', table);
  putCells(page, columns, titles, styles.head, { tag: 'TH', parent });
  parent.end();
  endRow(page, height, 0.8);
}

interface RowToDraw {
  readonly columns: readonly Column[];
  readonly row: GridRow;
  readonly height: number;
  readonly table: Tag;
}

function drawRow(page: Page, { columns, row, height, table }: RowToDraw): void {
  const parent = page.group('TR', table);
  putCells(page, columns, row.cells, styles.small, { tag: 'TD', parent });
  const { below = [] } = row;
  if (below.length > 0) {
    const top = page.y + measureCells(page, columns, row.cells, styles.small) - padding;
    const lines = belowLines(page, columns, below);
    page.mark('TD', () => page.put(lines, styles.note, belowX(columns), top), { parent });
  }
  parent.end();
  endRow(page, height, 0.4);
}

interface Tagged {
  readonly tag: 'TH' | 'TD';
  readonly parent: Tag;
}

function putCells(
  page: Page,
  columns: readonly Column[],
  cells: readonly string[],
  style: Style,
  tagged?: Tagged,
): void {
  columns.forEach(({ x, width }, at) => {
    const lines = page.lines(cells[at] ?? '', style, width);
    const draw = () => page.put(lines, style, x, page.y + padding);
    if (tagged === undefined) draw();
    else page.mark(tagged.tag, draw, { parent: tagged.parent });
  });
}

function measureCells(
  page: Page,
  columns: readonly Column[],
  cells: readonly string[],
  style: Style,
): number {
  const counts = columns.map(({ width }, at) => page.lines(cells[at] ?? '', style, width).length);
  return Math.max(...counts) * style.leading + 2 * padding;
}

function measureRow(page: Page, columns: readonly Column[], row: GridRow): number {
  const below = belowLines(page, columns, row.below ?? []).length * styles.note.leading;
  return measureCells(page, columns, row.cells, styles.small) + below;
}

function belowX(columns: readonly Column[]): number {
  return columns[1]?.x ?? sheet.left;
}

function belowLines(
  page: Page,
  columns: readonly Column[],
  below: readonly string[],
): readonly string[] {
  return below.flatMap((text) => page.lines(text, styles.note, sheet.right - belowX(columns)));
}
