/** Turns an examination into the sections of a report. All text from the file has passed through `printable`. */

import { type Strength, strengths } from '../../contract/vocabulary.ts';
import { strengthFrom } from '../../detectors/detector.ts';
import { mapNames } from '../../detectors/result.ts';
import type { Tags } from '../../image/metadata.ts';
import { kept, nameIn, printable } from '../text.ts';
import { writeActor } from '../report-item.ts';
import { openWriting, writeSupport } from '../report-texts.ts';
import { writeOther } from '../findings.ts';
import type { Words } from '../wording/catalogue.ts';
import {
  type Block,
  foreignRow,
  grid,
  heading,
  note,
  only,
  paragraph,
  type Part,
  plainGrid,
  type ReportInput,
  type Row,
  type Section,
  type SectionInput,
  withEscapes,
} from './blocks.ts';
import { findingBlocks, heatmapBlocks, references } from './findings.ts';
import { headBlocks } from './head.ts';
import { itemBlocks, provenanceBlocks } from './item.ts';
import { methodBlocks, resultBlocks } from './results.ts';
import { validationBlocks } from './validation.ts';

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

/** The question, the two propositions and alternative explanations. */
function questionBlocks({ catalogue }: SectionInput): readonly Block[] {
  const { question } = catalogue.document;
  return [
    paragraph(question.put),
    grid(
      question.columns,
      [0.22, 0.78],
      question.propositions.map((cells) => ({ cells })),
    ),
    heading(question.alternativesTitle),
    { kind: 'list', items: question.alternatives },
    paragraph(question.notAsked),
  ];
}

/** Copies, next to this one if their original is still stored, and pictures whose files have something in common with it. */
function seenBlocks({ item, language, catalogue }: SectionInput): readonly Block[] {
  const { seenBefore = [], beside = [] } = item;
  const words = catalogue.document.seen;
  return seenBefore.flatMap((other): Block[] => {
    const laid = beside.find(({ id }) => id === other.id);
    const named = writeOther(other, language);
    if (laid === undefined) return [heading(named)];
    if (laid.jpeg === null) return [heading(named), paragraph(words.gone)];
    const caption = `${words.beside} ${laid.differing === 0 ? words.alike : words.framed}`;
    return [heading(named), { kind: 'beside', jpeg: laid.jpeg, caption }];
  });
}

function custodyBlocks({ item, numbers, catalogue }: SectionInput): readonly Block[] {
  const { custody } = catalogue.document;
  const events = item.custody ?? [];
  if (events.length === 0) return [paragraph(custody.none)];
  const isReportNamed = events.some(({ hashes }) =>
    hashes.some(({ name }) => name.endsWith('.pdf')),
  );
  return [
    paragraph(custody.intro),
    grid(
      custody.columns,
      [0.26, 0.37, 0.37],
      events.map(({ at, event, actor, hashes }) => ({
        cells: [
          numbers.time(at),
          custody.events[event],
          printable(writeActor(actor, custody.actors), 80),
        ],
        below: hashes.map(({ name, sha256 }) => {
          const named = nameIn(custody.hashes, name, printable(name, 40));
          return `${named}: ${printable(sha256)}`;
        }),
      })),
    ),
    ...only(isReportNamed, note(custody.redrawn)),
  ];
}

/** Keeps integrity (unchanged bytes) apart from authenticity (the picture is what it is said to be). */
function integrityBlocks(input: SectionInput): readonly Block[] {
  const { heatmapDigests, catalogue, evidence, item, labels } = input;
  const { integrity } = catalogue.document;
  const { evaluation: words } = catalogue.strength;
  const { credentials } = evidence.provenance;
  const intact = kept([
    words.integrity,
    item.isUploadReplaced && `${labels.rows.upload}: ${labels.uploadReplaced}.`,
    credentials && words.credentials[credentials.integrity],
  ]);
  const digests = mapNames.map((map) => ({
    label: `heatmap-${map}.png`,
    value: `SHA-256 ${heatmapDigests[map]}`,
  }));
  return [
    paragraph(intact.join(' ')),
    paragraph(words.authenticity),
    paragraph(integrity.bundle),
    { kind: 'command', text: 'forensics verify BUNDLE' },
    paragraph(integrity.reproduce),
    { kind: 'command', text: 'forensics reproduce BUNDLE' },
    heading(integrity.pdfOnlyTitle),
    ...integrity.pdfOnly.map(paragraph),
    plainGrid(digests),
  ];
}

function glossaryBlocks({ language, catalogue }: SectionInput): readonly Block[] {
  const rows = Object.entries(catalogue.glossary.terms)
    .map(([label, value]) => ({ label, value }))
    .toSorted((one, other) => one.label.localeCompare(other.label, language));
  return [plainGrid(rows)];
}

function referenceBlocks(): readonly Block[] {
  const rows = Object.values(references).map((source, at) => ({ cells: [`[${at + 1}]`, source] }));
  return [grid([], [0.06, 0.94], rows)];
}

/** All the file's metadata; empty unless requested, because it may contain personal data. */
function metadataBlocks(input: SectionInput): readonly Block[] {
  const { examination, item, labels, catalogue } = input;
  if (item.withMetadata !== true) return [];
  const { exif, xmp, iptc, pngText, comment } = examination.facts.metadata;
  const rows = [
    ...dump('EXIF', exif),
    ...dump('XMP', xmp),
    ...dump('IPTC', iptc),
    ...dump('PNG', pngText),
    ...foreignRow(catalogue.provenance.places.comment, comment ?? null, 1000),
  ];
  const blocks: readonly Block[] = [
    note(catalogue.document.metadata.intro),
    ...only(rows.length > 0, { kind: 'table', rows }),
    ...only(rows.length === 0, paragraph(catalogue.document.metadata.empty)),
  ];
  return withEscapes(blocks, labels);
}

function dump(group: string, tags: Tags): readonly Row[] {
  return Object.entries(tags).map(([name, value]) => ({
    label: `${group}: ${printable(name, 60)}`,
    value: printable(String(value), 1000),
  }));
}

function signatureBlocks({ item, catalogue }: SectionInput): readonly Block[] {
  const { signature } = catalogue.document;
  const { examiner, ...given } = item.caseData ?? {};
  // For the fields that are not in the case data, the program has no place.
  const stated: Readonly<Record<string, unknown>> = { ...given, reviewer: examiner };
  // What SWGDE (18-Q-002 on reports) and ENFSI require in a report but nobody filled in.
  const absent = Object.entries(signature.fields).flatMap(([name, label]) =>
    stated[name] === undefined ? label : [],
  );
  return [
    paragraph(catalogue.limits.limits.examiner),
    ...(given.laboratory?.sentences ?? []).map((sentence) => paragraph(printable(sentence, 600))),
    paragraph(signature.assessment),
    ...only(absent.length > 0, note(signature.missing(absent.join(', ')))),
    { kind: 'form', labels: signature.lines },
  ];
}
