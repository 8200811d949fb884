/** The question, verification, glossary and references, and the form that the examiner signs. */

import { mapNames } from '../../engine/result.ts';
import type { Tags } from '../../image/metadata.ts';
import { kept, printable } from '../printable.ts';
import { writeOther } from '../seen-before.ts';
import type { Words } from '../wording/catalogue.ts';
import { references } from '../wording/references.ts';
import {
  type Block,
  grid,
  heading,
  foreignRow,
  note,
  only,
  paragraph,
  plainGrid,
  type Row,
  type SectionInput,
  withEscapes,
} from './blocks.ts';

/** The question, the two propositions and alternative explanations. */
export function questionBlocks({ catalogue }: SectionInput): readonly Block[] {
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
export function seenBlocks({ item, language, catalogue }: SectionInput): readonly Block[] {
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

/** Keeps integrity (unchanged bytes) apart from authenticity (the picture is what it is said to be). */
export function integrityBlocks(input: SectionInput): readonly Block[] {
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

export function glossaryBlocks({ language, catalogue }: SectionInput): readonly Block[] {
  const rows = Object.entries(catalogue.glossary.terms)
    .map(([label, value]) => ({ label, value }))
    .toSorted((one, other) => one.label.localeCompare(other.label, language));
  return [plainGrid(rows)];
}

export function referenceBlocks(): readonly Block[] {
  const rows = Object.values(references).map((source, at) => ({ cells: [`[${at + 1}]`, source] }));
  return [grid([], [0.06, 0.94], rows)];
}

/** All the file's metadata; empty unless requested, because it may contain personal data. */
export function metadataBlocks(input: SectionInput): readonly Block[] {
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

export function signatureBlocks({ item, catalogue }: SectionInput): readonly Block[] {
  const { signature } = catalogue.document;
  const { laboratory } = item.caseData ?? {};
  const absent = missingFields(item, signature.fields);
  return [
    paragraph(catalogue.limits.limits.examiner),
    ...(laboratory?.sentences ?? []).map((sentence) => paragraph(printable(sentence, 600))),
    paragraph(signature.assessment),
    ...only(absent.length > 0, note(signature.missing(absent.join(', ')))),
    { kind: 'form', labels: signature.lines },
  ];
}

/** What SWGDE (18-Q-002 on reports) and ENFSI require in a report but nobody filled in. */
function missingFields(
  { caseData: { examiner, ...given } = {} }: SectionInput['item'],
  fields: Words['document']['signature']['fields'],
): readonly string[] {
  // For the other fields, the program has no place.
  const stated: Readonly<Record<string, unknown>> = { ...given, reviewer: examiner };
  return Object.entries(fields).flatMap(([name, label]) =>
    stated[name] === undefined ? [label] : [],
  );
}
