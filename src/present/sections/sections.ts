/**
 * Turns an examination into the sections of a report: titled blocks of plain text, not yet laid out. All text from the
 * file has passed through `printable`.
 */

import { openWriting, writeSupport } from '../report-texts.ts';
import type { Words } from '../wording/catalogue.ts';
import {
  glossaryBlocks,
  integrityBlocks,
  metadataBlocks,
  questionBlocks,
  referenceBlocks,
  seenBlocks,
  signatureBlocks,
} from './annex.ts';
import {
  type Block,
  note,
  paragraph,
  type Part,
  type ReportInput,
  type Section,
  type SectionInput,
} from './blocks.ts';
import { findingBlocks, heatmapBlocks } from './findings.ts';
import { headBlocks } from './head.ts';
import { custodyBlocks, itemBlocks } from './item.ts';
import { provenanceBlocks } from './provenance.ts';
import { methodBlocks, resultBlocks } from './results.ts';
import { validationBlocks } from './validation.ts';
import { type Strength, strengths } from '../../contract/vocabulary.ts';
import { strengthFrom } from '../../detectors/detector.ts';

type Writer = (input: SectionInput) => readonly Block[];

/** The answer, then findings, provenance and limits; the annex contains the evidence. */
const order: readonly (readonly [keyof Words['labels']['sections'], Part | null, Writer])[] = [
  ['result', null, headBlocks],
  ['findings', 'facts', findingBlocks],
  ['provenance', 'facts', provenanceBlocks],
  ['heatmaps', 'facts', heatmapBlocks],
  ['evaluation', 'evaluation', evaluationBlocks],
  ['limits', 'evaluation', limitBlocks],
  ['signature', 'evaluation', signatureBlocks],
  ['item', 'annex', itemBlocks],
  ['seenBefore', 'annex', seenBlocks],
  ['custody', 'annex', custodyBlocks],
  ['results', 'annex', resultBlocks],
  ['validation', 'annex', validationBlocks],
  ['question', 'annex', questionBlocks],
  ['method', 'annex', methodBlocks],
  ['integrity', 'annex', integrityBlocks],
  ['glossary', 'annex', glossaryBlocks],
  ['references', 'annex', referenceBlocks],
  ['metadata', 'annex', metadataBlocks],
];

/** The first page alone. It mentions no heatmap file, so no checksums are needed. */
export function writeFirstPage(
  input: Pick<ReportInput, 'examination' | 'item' | 'language'>,
): Section {
  const heatmapDigests = { real: '', fake: '', compression: '', anomaly: '' };
  const all = openInput({ ...input, heatmapDigests });
  return { title: all.labels.sections.result, part: null, blocks: headBlocks(all) };
}

function openInput(input: ReportInput): SectionInput {
  const writing = openWriting(input.examination, input.item, input.language);
  return { ...input, ...writing, labels: writing.catalogue.labels };
}

/** Numbers the sections, letters the annexes, and leaves out empty ones. */
export function writeSections(input: ReportInput): readonly Section[] {
  const all = openInput(input);
  let sections = 0;
  let annexes = 0;
  return order
    .map(([name, part, write]) => ({ name, part, blocks: write(all) }))
    .filter(({ blocks }) => blocks.length > 0)
    .map(({ name, part, blocks }) => ({
      title: numbered(all.labels.sections[name], part),
      part,
      blocks,
    }));

  function numbered(title: string, part: Part | null): string {
    if (part === null) return title;
    if (part === 'annex') return `${String.fromCharCode(65 + annexes++)}  ${title}`;
    sections += 1;
    return `${sections}  ${title}`;
  }
}

/** The strength of the evidence; empty if none can be stated. */
function evaluationBlocks(input: SectionInput): readonly Block[] {
  const { catalogue, result } = input;
  if (result.outcome === 'abstain') return [];
  const { evaluation: words } = catalogue.strength;
  return [
    ...writeSupport(input).map(paragraph),
    note([writeScale(input), words.scaleNote].join(' ')),
  ];
}

function writeScale({ numbers, catalogue }: SectionInput): string {
  const { evaluation: words, adverbs } = catalogue.strength;
  const steps = strengths
    .map((strength, step): readonly [Strength, number] => [strength, strengthFrom[step] ?? 0])
    .flatMap(([strength, from]) =>
      strength === 'none' ? [] : [words.scaleStep(adverbs[strength], numbers.count(from))],
    );
  return words.scale(steps.join(', '));
}

function limitBlocks({ examination, catalogue, result }: SectionInput): readonly Block[] {
  const { limits: words } = catalogue.limits;
  const isOfPart = examination.decision.basis === 'localisation';
  const nature = result.outcome === 'declared' ? 'declared' : isOfPart ? 'changed' : 'traced';
  const items = [
    ...(result.outcome === 'abstain' ? [] : [words.nature[nature]]),
    ...words.statements,
  ];
  return [{ kind: 'list', items }];
}
