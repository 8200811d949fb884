/** A table of names and values, with a bar when a value is a proportion. */

import type { Block, Row } from '../../present/sections/blocks.ts';
import { flow, minLines, type Page, type Tag } from './page.ts';
import { ink, sheet, styles, textWidth } from './style.ts';

/** In points. The usual width leaves just enough room for the 64 digits of a checksum on one line. */
const labelWidths = { usual: 156, tight: 104 } as const;
const cellGap = 10;
const bar = { width: 96, height: 5, gap: 14 };
const rowPadding = 1.7;
/** Lines of a value that stay together; a longer value continues in a separate row. */
const maxLines = 40;
const belowTable = 6;

type Table = Extract<Block, { kind: 'table' }>;

export function drawTable(page: Page, { rows, isTight }: Table): void {
  const labelWidth = isTight === true ? labelWidths.tight : labelWidths.usual;
  const table = page.group('Table');
  for (const row of rows) drawRow(page, table, { row, labelWidth });
  table.end();
  page.y += belowTable;
}

/** @param count - number of rows, from the first. */
export function tableHeight(page: Page, { rows, isTight }: Table, count = rows.length): number {
  const labelWidth = isTight === true ? labelWidths.tight : labelWidths.usual;
  const counted = rows.slice(0, count);
  return counted.reduce((sum, row) => sum + measureRow(page, row, labelWidth).height, belowTable);
}

function measureRow(page: Page, row: Row, labelWidth: number) {
  const barWidth = row.bar === undefined ? 0 : bar.width + bar.gap;
  const label = page.lines(row.label, styles.label, labelWidth);
  const value = page.lines(row.value, styles.cell, textWidth - labelWidth - cellGap - barWidth);
  return { label, value, height: rowHeight(Math.max(label.length, value.length)) };
}

function rowHeight(lines: number): number {
  return lines * styles.cell.leading + 2 * rowPadding;
}

interface PlacedRow {
  readonly row: Row;
  readonly labelWidth: number;
}

function drawRow(page: Page, table: Tag, placed: PlacedRow): void {
  const { label, value } = measureRow(page, placed.row, placed.labelWidth);
  drawLines(page, table, { ...placed, label, value: value.slice(0, maxLines) });
  for (let from = maxLines; from < value.length; from += maxLines) {
    drawLines(page, table, { ...placed, label: [], value: value.slice(from, from + maxLines) });
  }
}

interface RowLines extends PlacedRow {
  readonly label: readonly string[];
  readonly value: readonly string[];
}

function drawLines(page: Page, table: Tag, { row, labelWidth, label, value }: RowLines): void {
  const { doc } = page;
  const valueX = sheet.left + labelWidth + cellGap;
  const height = rowHeight(Math.max(label.length, value.length));
  page.reserve(height);
  const top = page.y + rowPadding;
  const parent = page.group('TR', table);
  page.mark('TH', () => page.put(label, styles.label, sheet.left, top), { parent });
  page.mark('TD', () => page.put(value, styles.cell, valueX, top), { parent });
  parent.end();
  page.decorate(() => {
    if (row.bar !== undefined) drawBar(page, row, top + (styles.cell.leading - bar.height) / 2);
    doc.moveTo(sheet.left, page.y + height).lineTo(sheet.right, page.y + height);
    doc.lineWidth(0.4).stroke(ink.rule);
  });
  page.y += height;
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

/** Points by which lines that belong to the line above are indented. */
export const listIndent = 11;
/** Points for a line to write on, and for the label before it. */
const form = { height: 22, labelWidth: 150 } as const;

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
