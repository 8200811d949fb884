/** What stands behind the report: how to verify it, every setting, words, sources, and room for the examiner. */

import { type Manipulation, mapNames } from '../../engine/result.ts';
import type { Tags } from '../../image/metadata.ts';
import { printable } from '../printable.ts';
import { references } from '../wording/references.ts';
import {
  type Block,
  heading,
  foreignRow,
  note,
  only,
  paragraph,
  type Row,
  type SectionInput,
  withEscapes,
} from './blocks.ts';

/** The question put to the program, and the explanations it chose between. */
export function questionBlocks({
  catalogue: {
    document: { question },
  },
}: SectionInput): readonly Block[] {
  const { propositions, columns } = question;
  return [
    paragraph(question.put),
    {
      kind: 'grid',
      columns: [
        { title: columns[0], share: 0.16 },
        { title: columns[1], share: 0.84 },
      ],
      rows: [{ cells: ['real', propositions.real] }, { cells: ['fake', propositions.fake] }],
    },
    heading(question.alternativesTitle),
    { kind: 'list', items: question.alternatives },
    paragraph(question.notAsked),
  ];
}

export function integrityBlocks({ heatmapDigests, catalogue }: SectionInput): readonly Block[] {
  const { integrity } = catalogue.document;
  const digests = mapNames.map((map) => ({
    label: `heatmap-${map}.png`,
    value: `SHA-256 ${heatmapDigests[map]}`,
  }));
  return [
    paragraph(integrity.bundle),
    { kind: 'command', text: 'forensics verify BUNDLE' },
    paragraph(integrity.reproduce),
    { kind: 'command', text: 'forensics reproduce BUNDLE' },
    heading(integrity.pdfOnlyTitle),
    ...integrity.pdfOnly.map(paragraph),
    plainGrid(digests),
  ];
}

/** Names and numbers as result.json has them, so that both can be compared by eye. */
export function settingsBlocks({ examination, catalogue }: SectionInput): readonly Block[] {
  const { options, decision, predictions, classUncertainties, classSimilarities, anomaly, maps } =
    examination;
  const { cellPx, columns, rows } = maps;
  const { fakeProbability, fakeUncertainty, basis, thresholds } = decision;
  const trials = (examination.stability?.trials ?? []).map(
    (trial) => [trial.change, trial.fakeProbability] as const,
  );
  const tables = examination.facts.jpeg?.quantisationTables ?? [];
  const settings: readonly Row[] = [
    ...named('options', options),
    ...named('decision', { basis, fakeProbability, fakeUncertainty }),
    ...named('decision.thresholds', thresholds),
    ...named('predictions', { ...predictions }),
    ...named('classUncertainties', { ...classUncertainties }),
    ...named('classSimilarities', { ...classSimilarities }),
    ...named('anomaly', { ...anomaly }),
    ...changeSettings(examination.manipulation),
    ...named('stability', Object.fromEntries(trials)),
    ...named('maps', { cellPx, columns, rows }),
    ...examination.findings.flatMap(({ method, score, measures }) =>
      named(`findings.${printable(method, 40)}`, { score, ...measures }),
    ),
    ...tables.map(({ id, steps }) => ({
      label: `facts.jpeg.quantisationTables.${id}`,
      value: steps.join(' '),
    })),
  ];
  return [note(catalogue.document.settings.intro), plainGrid(settings)];
}

function changeSettings(manipulation: Manipulation | null): readonly Row[] {
  if (manipulation === null) return [];
  const { region, methods: _named, places = [], ...numbers } = manipulation;
  return [
    ...named('manipulation', numbers),
    ...(region === null ? [] : named('manipulation.region', { ...region })),
    ...places.flatMap((place, at) =>
      at === 0 ? [] : named(`manipulation.places.${at + 1}`, { ...place.region }),
    ),
  ];
}

/** Four significant digits: enough to compare, and no number that nobody can read. */
function writeValue(value: string | number | boolean | null): string {
  if (typeof value !== 'number' || Number.isInteger(value)) return String(value);
  return String(Number(value.toPrecision(4)));
}

/** One row a group: a name for each number would fill pages. */
function named(
  group: string,
  values: Readonly<Record<string, string | number | boolean | null>>,
): readonly Row[] {
  const parts = Object.entries(values).map(
    ([name, value]) => `${printable(name, 60)} ${printable(writeValue(value), 80)}`,
  );
  return parts.length === 0 ? [] : [{ label: group, value: parts.join('; ') }];
}

export function glossaryBlocks({ language, catalogue }: SectionInput): readonly Block[] {
  const rows = Object.values(catalogue.glossary.terms)
    .map(({ term, meaning }) => ({ label: term, value: meaning }))
    .toSorted((one, other) => one.label.localeCompare(other.label, language));
  return [plainGrid(rows)];
}

export function referenceBlocks({ catalogue }: SectionInput): readonly Block[] {
  const rows = references.map(({ citation, use }, at) => ({
    label: `[${at + 1}] ${catalogue.glossary.uses[use]}`,
    value: citation,
  }));
  return [plainGrid(rows)];
}

/** Smaller than a table: what is looked up need not be read in one go. */
function plainGrid(rows: readonly Row[]): Block {
  return {
    kind: 'grid',
    columns: [
      { title: '', share: 0.25 },
      { title: '', share: 0.75 },
    ],
    rows: rows.map(({ label, value }) => ({ cells: [label, value] })),
  };
}

/** Empty unless requested: it may hold personal data. */
export function metadataBlocks({
  examination,
  item,
  labels,
  catalogue,
}: SectionInput): readonly Block[] {
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

export function signatureBlocks({
  item,
  catalogue: {
    document: { signature },
  },
}: SectionInput): readonly Block[] {
  const { laboratory } = item.caseData ?? {};
  return [
    note(signature.intro),
    ...(laboratory?.sentences ?? []).map((sentence) => paragraph(printable(sentence, 600))),
    ...signature.assessment.map(paragraph),
    heading(signature.notes),
    { kind: 'form', labels: [], rules: 2 },
    { kind: 'form', labels: signature.lines, rules: 0 },
  ];
}
