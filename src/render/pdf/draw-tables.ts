/** Draws tables of names and values (with a bar if the value is a proportion), tables with columns, lists and forms. */

import type { Block, Grid, GridRow, Row } from '../../present/sections/blocks.ts';
import { drawFigure, placeFigure, type Surroundings } from './draw-pictures.ts';
import {
  endRow,
  flow,
  ink,
  maxWhole,
  minLines,
  type Page,
  sheet,
  type Style,
  styles,
  type Tag,
  textWidth,
} from './page.ts';

/** In points. The usual layout leaves just enough room for the 64 digits of a checksum on one line. */
const layouts = {
  usual: { labelWidth: 156, cell: styles.cell, label: styles.label },
  tight: { labelWidth: 84, cell: styles.tightCell, label: styles.tightLabel },
  dense: { labelWidth: 84, cell: styles.denseCell, label: styles.denseLabel },
} as const;
type Layout = (typeof layouts)[keyof typeof layouts];
const cellGap = 10;
const bar = { width: 96, height: 5, gap: 14 };
const rowPadding = 1.7;
/** Maximum number of lines in a row; a longer value continues in the next row. */
const maxLines = 40;
const belowTable = 6;

type Table = Extract<Block, { kind: 'table' }>;

function layoutOf(page: Page, { isTight }: Table): Layout {
  return layouts[isTight === true ? (page.isDense ? 'dense' : 'tight') : 'usual'];
}

export function drawTable(page: Page, block: Table): void {
  const layout = layoutOf(page, block);
  const table = page.group('Table');
  for (const row of block.rows) drawRow(page, table, row, layout);
  table.end();
  page.y += belowTable;
}

/** @param count - the number of rows to measure, starting with the first. */
export function tableHeight(page: Page, block: Table, count = block.rows.length): number {
  const layout = layoutOf(page, block);
  const counted = block.rows.slice(0, count);
  return counted.reduce((sum, row) => sum + measureRow(page, row, layout).height, belowTable);
}

/** The whole table, so that it is not split; only its first four rows if it would take up too much of a page. */
export function minTableHeight(page: Page, table: Table): number {
  const whole = tableHeight(page, table);
  if (table.isTight === true) return tableHeight(page, table, 3);
  return whole <= maxWhole ? whole : tableHeight(page, table, 4);
}

function measureRow(page: Page, row: Row, layout: Layout) {
  const { labelWidth } = layout;
  const barWidth = row.bar === undefined ? 0 : bar.width + bar.gap;
  const label = page.lines(row.label, layout.label, labelWidth);
  const value = page.lines(row.value, layout.cell, textWidth - labelWidth - cellGap - barWidth);
  return { label, value, height: rowHeight(Math.max(label.length, value.length), layout) };
}

function rowHeight(lines: number, { cell }: Layout): number {
  return lines * cell.leading + 2 * rowPadding;
}

function drawRow(page: Page, table: Tag, row: Row, layout: Layout): void {
  const { label: labels, value: values } = measureRow(page, row, layout);
  const valueX = sheet.left + layout.labelWidth + cellGap;
  for (let from = 0; from < values.length; from += maxLines) {
    const label = from === 0 ? labels : [];
    const value = values.slice(from, from + maxLines);
    const height = rowHeight(Math.max(label.length, value.length), layout);
    page.reserve(height);
    const top = page.y + rowPadding;
    const parent = page.group('TR', table);
    page.mark('TH', () => page.put(label, layout.label, sheet.left, top), { parent });
    page.mark('TD', () => page.put(value, layout.cell, valueX, top), { parent });
    parent.end();
    const barTop = top + (layout.cell.leading - bar.height) / 2;
    if (row.bar !== undefined) page.decorate(() => drawBar(page, row, barTop));
    endRow(page, height, 0.4);
  }
}

function drawBar({ doc }: Page, { bar: value = 0, range, marks = [] }: Row, y: number): void {
  const toPlace = (share: number) =>
    sheet.right - bar.width * (1 - Math.min(Math.max(share, 0), 1));
  const left = sheet.right - bar.width;
  const middle = y + bar.height / 2;
  doc.rect(left, y, bar.width, bar.height).fill(ink.rule);
  doc.rect(left, y, toPlace(value) - left, bar.height).fill(ink.accent);
  if (range !== undefined) {
    const [low, high] = range;
    doc.moveTo(toPlace(low), middle).lineTo(toPlace(high), middle).lineWidth(1.6).stroke(ink.range);
  }
  for (const mark of marks) {
    const at = toPlace(mark);
    doc.moveTo(at, y - 2).lineTo(at, y + bar.height + 2);
    doc.lineWidth(0.8).stroke(ink.text);
  }
}

/** Indentation in points of lines that belong to the line above. */
export const listIndent = 11;
/** In points: the height of a line to write on, and the width of its label. */
const form = { height: 20, labelWidth: 150 } as const;

export function drawList(page: Page, items: readonly string[]): void {
  const list = page.group('L');
  for (const text of items) {
    const lines = page.lines(text, styles.body, textWidth - listIndent).length;
    const item = page.group('LI', list);
    page.reserve(minLines(lines) * styles.body.leading);
    page.mark('Lbl', () => page.put(['–'], styles.body, sheet.left, page.y), { parent: item });
    flow(page, 'LBody', text, styles.body, { parent: item, indent: listIndent });
    item.end();
    page.y += 2.5;
  }
  list.end();
  page.y += 4;
}

type Form = Extract<Block, { kind: 'form' }>;

export function formHeight({ labels }: Form): number {
  return labels.length * form.height;
}

export function drawForm(page: Page, block: Form): void {
  page.reserve(formHeight(block));
  for (const label of block.labels) {
    page.mark('P', () => page.put([label], styles.label, sheet.left, page.y + form.height - 14));
    const y = page.y + form.height - 4;
    page.decorate(() => {
      page.doc.moveTo(sheet.left + form.labelWidth, y).lineTo(sheet.right, y);
      page.doc.lineWidth(0.5).stroke(ink.muted);
    });
    page.y += form.height;
  }
  page.y += 6;
}

// Draws a table with columns, and repeats its header on every page.

const columnGap = 8;

interface Column {
  readonly x: number;
  readonly width: number;
}

const panelBox = { width: 92, height: 66 } as const;

export function drawGrid(around: Surroundings, grid: Grid): void {
  const { page } = around;
  const { columns, head, hasHead, headHeight, heights, least } = measureGrid(around, grid);
  const table = page.group('Table');
  page.reserve(least);
  if (hasHead) {
    const parent = page.group('TR', table);
    putCells(page, columns, head, styles.head, { tag: 'TH', parent });
    parent.end();
    endRow(page, headHeight, 0.8);
  }
  for (const [at, row] of grid.rows.entries()) {
    const height = heights[at]!;
    if (page.y + height > sheet.bottom) {
      page.reserve(height);
      if (hasHead) {
        // Screen readers read the header only once; a repeated header is decoration.
        page.decorate(() => putCells(page, columns, head, styles.head));
        endRow(page, headHeight, 0.8);
      }
    }
    drawGridRow(around, columns, row, table);
    endRow(page, height, 0.4);
  }
  table.end();
  page.y += 8;
}

/** Height of the whole table or, if it is long, of its header and first rows, which stay with the heading. */
export function minGridHeight(around: Surroundings, grid: Grid): number {
  return measureGrid(around, grid).least;
}

function measureGrid(around: Surroundings, grid: Grid) {
  const columns = toColumns(grid);
  const head = { cells: grid.columns.map(({ title }) => title) };
  const hasHead = head.cells.some((title) => title !== '');
  const headHeight = hasHead ? measureCells(around.page, columns, head, styles.head) : 0;
  const heights = grid.rows.map((row) => measureGridRow(around, columns, row));
  const add = (rows: readonly number[]) => rows.reduce((sum, height) => sum + height, headHeight);
  const whole = add(heights);
  const least = whole <= maxWhole ? whole : add(heights.slice(0, 2));
  return { columns, head, hasHead, headHeight, heights, least };
}

function toColumns({ columns }: Grid): readonly Column[] {
  let x: number = sheet.left;
  return columns.map(({ share }) => {
    const column = { x, width: share * textWidth - columnGap };
    x += share * textWidth;
    return column;
  });
}

function drawGridRow(
  { page, images, size }: Surroundings,
  columns: readonly Column[],
  row: GridRow,
  table: Tag,
): void {
  const { title = '', cells, panel, below = [] } = row;
  const parent = page.group('TR', table);
  putCells(page, columns, row, styles.small, { tag: 'TD', parent });
  if (below.length > 0) {
    const top = page.y + measureCells(page, columns, row, styles.small) - rowPadding;
    const lines = belowLines(page, columns, below);
    page.mark('TD', () => page.put(lines, styles.note, belowX(columns), top), { parent });
  }
  const image = panel === undefined ? undefined : images.methods[panel];
  if (image !== undefined) {
    const corner = { x: columns.at(-1)!.x, y: page.y + rowPadding };
    const figure = { image, size, placement: placeFigure(size, panelBox), ...corner };
    const alt = `${title}. ${cells[0]}`;
    page.mark('Figure', () => drawFigure(page.doc, figure), { alt, parent });
  }
  parent.end();
}

function putCells(
  page: Page,
  columns: readonly Column[],
  row: GridRow,
  style: Style,
  tagged?: { readonly tag: 'TH' | 'TD'; readonly parent: Tag },
): void {
  columns.forEach(({ x, width }, at) => {
    const { title, lines } = layCell(page, row, { at, width, style });
    const top = page.y + rowPadding;
    const draw = () => {
      page.put(title, styles.entry, x, top);
      page.put(lines, style, x, top + title.length * styles.entry.leading);
    };
    if (tagged === undefined) draw();
    else page.mark(tagged.tag, draw, { parent: tagged.parent });
  });
}

function layCell(
  page: Page,
  { title, cells }: GridRow,
  { at, width, style }: { readonly at: number; readonly width: number; readonly style: Style },
) {
  const isTitled = at === 0 && title !== undefined;
  return {
    title: isTitled ? page.lines(title, styles.entry, width) : [],
    lines: page.lines(cells[at] ?? '', style, width),
  };
}

function measureCells(page: Page, columns: readonly Column[], row: GridRow, style: Style): number {
  const heights = columns.map(({ width }, at) => {
    const { title, lines } = layCell(page, row, { at, width, style });
    return title.length * styles.entry.leading + lines.length * style.leading;
  });
  return Math.max(...heights) + 2 * rowPadding;
}

function measureGridRow(
  { page, images, size }: Surroundings,
  columns: readonly Column[],
  row: GridRow,
): number {
  const below = belowLines(page, columns, row.below ?? []).length * styles.note.leading;
  const cells = measureCells(page, columns, row, styles.small) + below;
  const hasPanel = row.panel !== undefined && row.panel in images.methods;
  return hasPanel ? Math.max(cells, placeFigure(size, panelBox).height + 2 * rowPadding) : cells;
}

function belowX(columns: readonly Column[]): number {
  return columns[1]?.x ?? sheet.left;
}

function belowLines(page: Page, columns: readonly Column[], below: readonly string[]) {
  return below.flatMap((text) => page.lines(text, styles.note, sheet.right - belowX(columns)));
}
