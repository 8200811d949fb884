/**
 * What a report says, in order, before anything is drawn: an examination goes in, titled blocks of plain text come out.
 * Everything foreign in them is printable. It knows no pages, fonts or pictures.
 */

import type { Examination, MapName } from '../engine/result.ts';
import { mapNames } from '../engine/result.ts';
import type { ReportItem } from './item.ts';
import type { Labels } from './labels.ts';
import type { Language } from './language.ts';
import { createNumberWriter, type NumberWriter } from './numbers.ts';
import { labelsOf, phrasesOf } from './phrase-book.ts';
import type { Phrases } from './phrases.ts';
import { printable } from './printable.ts';
import { strengthLimits } from './reading.ts';
import { itemRows } from './rows-of-item.ts';
import { methodRows, resultRows } from './rows-of-result.ts';
import type { ReportTexts } from './texts.ts';

export interface Row {
  readonly label: string;
  readonly value: string;
  /** 0..1 when a bar beside the value helps to read it. */
  readonly bar?: number;
  /** Places on the bar where a threshold lies, 0..1. */
  readonly marks?: readonly number[];
}

export type Block =
  | { readonly kind: 'verdict'; readonly headline: string; readonly text: string }
  | { readonly kind: 'paragraph'; readonly text: string }
  | { readonly kind: 'note'; readonly text: string }
  | { readonly kind: 'entry'; readonly title: string; readonly text: string; readonly note: string }
  | { readonly kind: 'table'; readonly rows: readonly Row[] }
  | {
      readonly kind: 'heatmap';
      readonly map: MapName;
      readonly title: string;
      readonly text: string;
      readonly note: string;
    };

export interface Section {
  readonly title: string;
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

/** What the tables of a report are written with. */
export interface TableInput extends ReportInput {
  readonly labels: Labels;
  readonly phrases: Phrases;
  readonly numbers: NumberWriter;
}

export function writeSections(input: ReportInput): readonly Section[] {
  const { language, texts } = input;
  const labels = labelsOf(language);
  const table: TableInput = {
    ...input,
    labels,
    phrases: phrasesOf(language),
    numbers: createNumberWriter(language),
  };
  const { sections, headlines } = labels;
  const headline = headlines[input.examination.decision.resultClass];
  return [
    {
      title: sections.result,
      blocks: [
        { kind: 'verdict', headline, text: texts.summary },
        { kind: 'table', rows: resultRows(table) },
        { kind: 'note', text: labels.deviation },
      ],
    },
    { title: sections.item, blocks: itemBlocks(table) },
    { title: sections.assessment, blocks: paragraphs(texts.forensic) },
    { title: sections.heatmaps, blocks: heatmapBlocks(table) },
    { title: sections.findings, blocks: findingBlocks(table) },
    { title: sections.method, blocks: [{ kind: 'table', rows: methodRows(table) }] },
    { title: sections.validation, blocks: validationBlocks(table) },
    { title: sections.limits, blocks: limitBlocks(table) },
    { title: sections.conclusion, blocks: paragraphs(texts.conclusion) },
  ];
}

function itemBlocks(input: TableInput): readonly Block[] {
  const rows = itemRows(input);
  // The explanation stands only where something needs it.
  const isEscaped = rows.some(({ value }) => value.includes('⟨'));
  const note: Block = { kind: 'note', text: input.labels.escapes };
  return [{ kind: 'table', rows }, ...(isEscaped ? [note] : [])];
}

function heatmapBlocks({ texts, labels, heatmapDigests }: TableInput): readonly Block[] {
  const { real, fake, compressed, anomaly } = texts.heatmap;
  const textOf = { real, fake, compression: compressed, anomaly };
  return [
    ...paragraphs(texts.heatmapIntro),
    ...mapNames.map(
      (map): Block => ({
        kind: 'heatmap',
        map,
        title: labels.maps[map],
        text: textOf[map],
        note: `${labels.checksum('PNG')}: ${heatmapDigests[map]}`,
      }),
    ),
  ];
}

function findingBlocks({
  examination,
  labels,
  phrases,
  numbers,
  language,
}: TableInput): readonly Block[] {
  const nameOf = (method: string) => phrases.methods[method] ?? printable(method);
  const findings = examination.findings.map((finding): Block => {
    const measures = Object.entries(finding.measures).map(
      ([name, value]) => `${printable(name)} ${numbers.plain(value)}`,
    );
    const note = [measures.join('; '), labels.source(printable(finding.source))];
    return {
      kind: 'entry',
      title: `${nameOf(finding.method)} (${labels.score(numbers.exact(finding.score))})`,
      text: finding.statement[language],
      note: note.filter((part) => part !== '').join('. '),
    };
  });
  const skipped = examination.skipped.map(({ method, reason }) => ({
    label: nameOf(method),
    value: printable(reason[language]),
  }));
  const none: Block = { kind: 'paragraph', text: labels.noFindings };
  const meaning: Block = { kind: 'note', text: labels.scoreMeaning };
  return [
    ...(findings.length === 0 ? [none] : [meaning, ...findings]),
    ...(skipped.length === 0
      ? []
      : [
          { kind: 'note', text: labels.notCarriedOut } as const,
          { kind: 'table', rows: skipped } as const,
        ]),
  ];
}

function validationBlocks({ examination, labels, phrases, numbers }: TableInput): readonly Block[] {
  const { measured, options } = examination;
  const { validation } = labels;
  const [first] = measured;
  if (!first) return [{ kind: 'paragraph', text: validation.none }];
  const rows = measured.map(({ condition, auc, aucLow, aucHigh, strategies }): Row => {
    const { decided, realCalledFake, fakeCalledReal } = strategies[options.decisionStrategy];
    return {
      label: validation.conditions[condition] ?? printable(condition),
      value: validation.rates({
        auc: numbers.exact(auc),
        aucLow: numbers.exact(aucLow),
        aucHigh: numbers.exact(aucHigh),
        decided: numbers.rate(decided),
        realCalledFake: numbers.rate(realCalledFake),
        fakeCalledReal: numbers.rate(fakeCalledReal),
      }),
    };
  });
  const intro = validation.intro({
    strategy: phrases.strategies[options.decisionStrategy],
    real: numbers.count(first.real),
    fake: numbers.count(first.fake),
  });
  return [
    { kind: 'paragraph', text: intro },
    { kind: 'table', rows },
  ];
}

function limitBlocks({ labels, numbers }: TableInput): readonly Block[] {
  const { plain, clear, veryClear } = strengthLimits;
  return labels
    .limits({
      plain: numbers.score(plain),
      clear: numbers.score(clear),
      veryClear: numbers.score(veryClear),
    })
    .map((text): Block => ({ kind: 'paragraph', text }));
}

function paragraphs(text: string): readonly Block[] {
  return text.split('\n\n').map((part): Block => ({ kind: 'paragraph', text: part }));
}
