/** What a report is made of: titled sections of text and tables. Knows nothing about pages, fonts or pictures. */

import type { Language } from '../../contract/vocabulary.ts';
import type { Region } from '../../detectors/regions.ts';
import type { Examination, MapName } from '../../detectors/result.ts';
import type { ReportItem } from '../report-item.ts';
import { printable } from '../text.ts';
import type { Writing } from '../report-texts.ts';
import type { Words } from '../wording/catalogue.ts';

export interface Row {
  readonly label: string;
  readonly value: string;
  /** 0..1, drawn as a bar beside the value. */
  readonly bar?: number;
  /** The range of the value, 0..1, drawn over the bar. */
  readonly range?: readonly [low: number, high: number];
  /** Positions of thresholds on the bar, 0..1. */
  readonly marks?: readonly number[];
}

export interface Grid {
  readonly columns: readonly { readonly title: string; readonly share: number }[];
  readonly rows: readonly GridRow[];
}

export interface GridRow {
  /** In bold above the first cell. */
  readonly title?: string;
  readonly cells: readonly string[];
  /** The method whose map is drawn in the last column. */
  readonly panel?: string;
  /** Lines below the cells, from the second column to the right margin, where there is room for checksums. */
  readonly below?: readonly string[];
}

export interface HeatmapBlock {
  readonly map: MapName;
  readonly title: string;
  /** Says where to look, or that nothing stands out. */
  readonly headline: string;
  readonly text: string;
}

/** A Tippett plot: for each side, the share (0..1) of pictures with at least this log10 likelihood ratio. */
export interface Plot {
  readonly title: string;
  readonly axis: string;
  /** Evenly spaced from left to right. */
  readonly ticks: readonly string[];
  readonly supporting: Curve;
  readonly opposing: Curve;
  /** The ratio of this picture, and the limits that the measurements support; log10. */
  readonly own: { readonly name: string; readonly at: number };
  readonly bounds: readonly [low: number, high: number];
}

export interface Curve {
  readonly name: string;
  readonly points: readonly (readonly [logRatio: number, share: number])[];
}

/** The log10 range of every plot. */
export const plotRange = { from: -4, to: 4 } as const;

export type Block =
  | {
      readonly kind: 'verdict';
      readonly question: string;
      readonly headline: string;
      readonly text: string;
      /** Regions outlined and numbered in the picture. */
      readonly places: readonly Region[];
      readonly caption: string;
      readonly beside: readonly { readonly title: string; readonly items: readonly string[] }[];
    }
  /** This picture and another one that shows the same thing. */
  | { readonly kind: 'beside'; readonly jpeg: string; readonly caption: string }
  | { readonly kind: 'curves'; readonly plots: readonly Plot[] }
  | { readonly kind: 'heading'; readonly text: string }
  | { readonly kind: 'paragraph'; readonly text: string }
  | { readonly kind: 'note'; readonly text: string }
  /** A command to copy verbatim. */
  | { readonly kind: 'command'; readonly text: string }
  | { readonly kind: 'list'; readonly items: readonly string[] }
  /** `isTight`: short labels, so that the values get more room. */
  | { readonly kind: 'table'; readonly rows: readonly Row[]; readonly isTight?: true }
  | ({ readonly kind: 'grid' } & Grid)
  /** Lines to fill in by hand, each after its label. */
  | { readonly kind: 'form'; readonly labels: readonly string[] }
  | {
      readonly kind: 'heatmaps';
      readonly maps: readonly HeatmapBlock[];
      readonly places: readonly Region[];
    };

/** Facts are what was received and measured; anything that weighs them is evaluation, and is labelled as such. */
const parts = ['facts', 'evaluation', 'annex'] as const;
export type Part = (typeof parts)[number];

export interface Section {
  readonly title: string;
  /** Null for the first page. */
  readonly part: Part | null;
  readonly blocks: readonly Block[];
}

export interface ReportInput {
  readonly examination: Examination;
  readonly item: ReportItem;
  readonly language: Language;
  /** SHA-256 of each heatmap file, in lower-case hex. */
  readonly heatmapDigests: Readonly<Record<MapName, string>>;
}

export interface SectionInput extends ReportInput, Writing {
  readonly labels: Words['labels'];
}

export function paragraph(text: string): Block {
  return { kind: 'paragraph', text };
}

export function heading(text: string): Block {
  return { kind: 'heading', text };
}

export function note(text: string): Block {
  return { kind: 'note', text };
}

/** A table with columns. @param shares - of the text width, one for each column; together 1. */
export function grid(
  titles: readonly string[],
  shares: readonly number[],
  rows: readonly GridRow[],
): Block {
  const columns = shares.map((share, at) => ({ title: titles[at] ?? '', share }));
  return { kind: 'grid', columns, rows };
}

/** A reference table, in smaller type than other tables. */
export function plainGrid(rows: readonly Row[]): Block {
  const cells = rows.map(({ label, value }) => ({ cells: [label, value] }));
  return grid([], [0.25, 0.75], cells);
}

export function row(isShown: boolean, label: string, value: string): readonly Row[] {
  return isShown ? [{ label, value }] : [];
}

export function only(isShown: boolean, ...blocks: readonly Block[]): readonly Block[] {
  return isShown ? blocks : [];
}

export const valueLimit = 160;

/** A row for a value from the file, or nothing if there is none. */
export function foreignRow(
  label: string,
  value: string | null,
  limit = valueLimit,
): readonly Row[] {
  return row(value !== null && value !== '', label, printable(value ?? '', limit));
}

/** Adds a note that explains escapes, if a block contains any. */
export function withEscapes(
  blocks: readonly Block[],
  { escapes }: Words['labels'],
): readonly Block[] {
  return JSON.stringify(blocks).includes('⟨') ? [...blocks, note(escapes)] : blocks;
}
