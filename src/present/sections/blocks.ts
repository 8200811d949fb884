/**
 * What a report is made of before anything is drawn: titled sections of plain text and tables. It knows no pages, fonts
 * or pictures.
 */

import type { Evidence } from '../../contract/evidence.ts';
import type { Language } from '../../contract/vocabulary.ts';
import type { Region } from '../../detectors/regions.ts';
import type { Examination, MapName } from '../../engine/result.ts';
import type { Account } from '../forensic-text.ts';
import type { NumberWriter } from '../numbers.ts';
import type { Presentation } from '../presentation.ts';
import type { ReportItem, ReportTexts } from '../report-item.ts';
import { printable } from '../printable.ts';
import type { Result } from '../result.ts';
import type { Words } from '../wording/catalogue.ts';

export interface Row {
  readonly label: string;
  readonly value: string;
  /** 0..1 when a bar beside the value helps to read it. */
  readonly bar?: number;
  /** Ends of a stroke over the bar, 0..1: the range of the value. */
  readonly range?: readonly [low: number, high: number];
  /** Positions of thresholds on the bar, 0..1. */
  readonly marks?: readonly number[];
}

export interface Grid {
  /** `share`: part of the text's width; together 1. */
  readonly columns: readonly { readonly title: string; readonly share: number }[];
  readonly rows: readonly GridRow[];
}

export interface GridRow {
  /** One for each column. */
  readonly cells: readonly string[];
  /** Lines under the cells, from the second column to the right margin: checksums want the room. */
  readonly below?: readonly string[];
}

export interface HeatmapBlock {
  readonly map: MapName;
  readonly title: string;
  /** What one glance should tell: nothing, or where to look. */
  readonly headline: string;
  readonly text: string;
}

/** One method: what it found, how strongly that speaks, and its own map where it points somewhere. */
export interface FindingBlock {
  /** Key of its map; null for a method without one, or that says nothing. */
  readonly panel: string | null;
  readonly title: string;
  readonly text: string;
  readonly strength: string;
}

/** A Tippett plot: of pictures of each side, the share (0..1) whose log10 likelihood ratio is at least so great. */
export interface Plot {
  readonly title: string;
  readonly axis: string;
  /** Evenly spaced, from the left end to the right. */
  readonly ticks: readonly string[];
  readonly supporting: Curve;
  readonly opposing: Curve;
  /** Of this picture, and the bounds within which ratios are borne out; log10. */
  readonly own: { readonly name: string; readonly at: number };
  readonly bounds: readonly [low: number, high: number];
}

export interface Curve {
  readonly name: string;
  readonly points: readonly (readonly [logRatio: number, share: number])[];
}

/** Log10 ratios from the left to the right end of every plot. */
export const plotRange = { from: -4, to: 4 } as const;

export type Block =
  | {
      readonly kind: 'verdict';
      readonly question: string;
      readonly headline: string;
      readonly text: string;
      /** Drawn as numbered outlines into the picture, with its caption. */
      readonly places: readonly Region[];
      readonly caption: string;
      /** What stands beside the picture. */
      readonly beside: readonly { readonly title: string; readonly items: readonly string[] }[];
    }
  /** @see Beside */
  | { readonly kind: 'beside'; readonly jpeg: string; readonly caption: string }
  | { readonly kind: 'curves'; readonly plots: readonly Plot[] }
  | { readonly kind: 'heading'; readonly text: string }
  | { readonly kind: 'paragraph'; readonly text: string }
  | { readonly kind: 'note'; readonly text: string }
  /** To be typed as it stands. */
  | { readonly kind: 'command'; readonly text: string }
  | { readonly kind: 'list'; readonly items: readonly string[] }
  /** `isTight`: its labels are short, and its values sentences. */
  | { readonly kind: 'table'; readonly rows: readonly Row[]; readonly isTight?: true }
  | ({ readonly kind: 'grid' } & Grid)
  /** Rules to write on, one with each label before it. */
  | { readonly kind: 'form'; readonly labels: readonly string[] }
  | {
      readonly kind: 'heatmaps';
      readonly maps: readonly HeatmapBlock[];
      readonly places: readonly Region[];
    }
  | {
      readonly kind: 'findings';
      readonly columns: readonly [string, string, string];
      readonly rows: readonly FindingBlock[];
    };

/** Facts are what was received, read and measured; everything that weighs them is evaluation and looks different. */
const parts = ['facts', 'evaluation', 'annex'] as const;
export type Part = (typeof parts)[number];

export interface Section {
  readonly title: string;
  /** Null for the head of the report, which holds its result in short. */
  readonly part: Part | null;
  readonly blocks: readonly Block[];
}

export interface ReportInput {
  readonly examination: Examination;
  readonly item: ReportItem;
  readonly language: Language;
  readonly texts: ReportTexts;
  /** SHA-256 of each heatmap file, lower-case hex: ties the files that travel beside the report to it. */
  readonly heatmapDigests: Readonly<Record<MapName, string>>;
}

/** What the sections of a report are written with. */
export interface SectionInput extends ReportInput {
  readonly evidence: Evidence;
  readonly account: Account;
  readonly result: Result;
  readonly presentation: Presentation;
  readonly labels: Words['labels'];
  readonly catalogue: Words;
  readonly numbers: NumberWriter;
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

/** Smaller than a table: what is looked up need not be read in one go. */
export function plainGrid(rows: readonly Row[]): Block {
  return {
    kind: 'grid',
    columns: [
      { title: '', share: 0.25 },
      { title: '', share: 0.75 },
    ],
    rows: rows.map(({ label, value }) => ({ cells: [label, value] })),
  };
}

/** A row that is left out when empty. */
export function row(isShown: boolean, label: string, value: string): readonly Row[] {
  return isShown ? [{ label, value }] : [];
}

/** A block that is left out when empty. */
export function only(isShown: boolean, ...blocks: readonly Block[]): readonly Block[] {
  return isShown ? blocks : [];
}

/** Characters of one foreign value that a table shows; the file itself holds the rest. */
export const valueLimit = 160;

/** A row for a value from the file itself; no row where the file has none. */
export function foreignRow(
  label: string,
  value: string | null,
  limit = valueLimit,
): readonly Row[] {
  return row(value !== null && value !== '', label, printable(value ?? '', limit));
}

/** Explains the escapes of `printable` below blocks that hold one, and nowhere else. */
export function withEscapes(
  blocks: readonly Block[],
  { escapes }: Words['labels'],
): readonly Block[] {
  return JSON.stringify(blocks).includes('⟨') ? [...blocks, note(escapes)] : blocks;
}
