/** The head of the report: which report this is, what it is about, and its result in short. */

import { createHash } from 'node:crypto';
import type { Examination } from '../../engine/result.ts';
import { isDeclared } from '../forensic-text.ts';
import { writeTime } from '../numbers.ts';
import { nameIn, printable } from '../printable.ts';
import type { CustodyEvent, ReportItem } from '../report-item.ts';
import type { Words } from '../wording/catalogue.ts';
import {
  type Block,
  type GridRow,
  heading,
  note,
  only,
  paragraph,
  type Row,
  row,
  type SectionInput,
} from './blocks.ts';

export function headBlocks(input: SectionInput): readonly Block[] {
  const { examination, item, texts, labels, catalogue } = input;
  const { rows } = labels;
  const program = `${labels.product} ${printable(examination.environment['forensics'] ?? '')}`;
  const { facts, evaluation } = catalogue.document.parts;
  return [
    { kind: 'verdict', headline: headlineOf(input), text: texts.summary },
    {
      kind: 'table',
      rows: [
        { label: rows.report, value: reportNumber(examination, item) },
        ...row(item.analysisId !== null, rows.analysis, printable(item.analysisId ?? '')),
        { label: rows.examinedAt, value: writeTime(item.examinedAt) },
        { label: rows.preparedBy, value: catalogue.document.head.preparedBy(program.trim()) },
        { label: rows.versions, value: catalogue.document.head.versions },
      ],
    },
    note(catalogue.document.head.reading({ facts, evaluation })),
  ];
}

function headlineOf({ examination, evidence, labels }: SectionInput): string {
  const { resultClass } = examination.decision;
  if (resultClass !== 'fake' || evidence.basis === 'traces') return labels.headlines[resultClass];
  return evidence.basis === 'declaration' ? labels.headlineDeclared : labels.headlineChanged;
}

/**
 * The same for every language of one report, another one for every other picture, model, setting or run: 48 bits of a
 * SHA-256 in groups of four digits.
 */
function reportNumber(
  { facts, model, options }: Examination,
  { analysisId, examinedAt }: ReportItem,
): string {
  const parts = [facts.sha256, model.files, options, analysisId, examinedAt.toISOString()];
  const digest = createHash('sha256').update(JSON.stringify(parts)).digest('hex');
  return digest.slice(0, 12).toUpperCase().match(/.{4}/g)!.join('-');
}

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

/** Why nothing was decided, and what would help. */
export function reasonBlocks(input: SectionInput): readonly Block[] {
  const { account, evidence, language, catalogue } = input;
  const { reasons: words } = catalogue.document;
  const isOpen = account.reasons.length > 0;
  const help = evidence.reasons.map((reason) => reason.help[language]);
  return [
    ...(isOpen ? account.reasons : [decidedWords(input)]).map(paragraph),
    heading(words.helpTitle),
    { kind: 'list', items: isOpen ? help : words.helpDecided },
  ];
}

/** Where the decision does not rest on the traces, the report also shows what they would have left open. */
function decidedWords({ examination, catalogue }: SectionInput): string {
  const { reasons: words } = catalogue.document;
  const { decision } = examination;
  if (!isDeclared(decision) && !isChanged(decision)) return words.decided;
  const by = isChanged(decision) ? words.changed : words.declared;
  const open = decision.byTraces?.reasons ?? [];
  if (open.length === 0) return by;
  const shorts = open.map((reason) => catalogue.verdict.reasons[reason].short).join('; ');
  return `${by} ${words.tracesAlone(shorts)}`;
}

function isChanged({ basis }: SectionInput['examination']['decision']): boolean {
  return basis === 'localisation';
}

export function limitBlocks({
  evidence,
  examination,
  language,
  catalogue,
}: SectionInput): readonly Block[] {
  const { limits: words } = catalogue.limits;
  const { decision } = examination;
  const changedOrTraced = isChanged(decision) ? 'changed' : 'traced';
  const nature = isDeclared(decision) ? 'declared' : changedOrTraced;
  const notChecked = evidence.notChecked.map(({ statement }) => statement[language]);
  return [
    { kind: 'list', items: [words.nature[nature], ...words.statements] },
    heading(words.notCheckedTitle),
    notChecked.length === 0 ? paragraph(words.notCheckedNone) : { kind: 'list', items: notChecked },
    heading(words.examinerTitle),
    paragraph(words.examiner),
  ];
}

export function conclusionBlocks({ texts }: SectionInput): readonly Block[] {
  return texts.conclusion.split('\n\n').map(paragraph);
}

/** The chain of custody that the program recorded for the file. */
export function custodyBlocks({
  item,
  catalogue: {
    document: { custody },
  },
}: SectionInput): readonly Block[] {
  const events = item.custody ?? [];
  if (events.length === 0) return [paragraph(custody.none)];
  const [time, event, actor] = custody.columns;
  return [
    paragraph(custody.intro),
    {
      kind: 'grid',
      columns: [
        { title: time, share: 0.26 },
        { title: event, share: 0.37 },
        { title: actor, share: 0.37 },
      ],
      rows: events.map((one) => toRow(one, custody)),
    },
    ...only(events.some(concernsReports), note(custody.redrawn)),
  ];
}

function concernsReports({ hashes }: CustodyEvent): boolean {
  return hashes.some(({ name }) => name.endsWith('.pdf'));
}

function toRow(
  { at, event, actor, hashes }: CustodyEvent,
  words: Words['document']['custody'],
): GridRow {
  return {
    cells: [at.toISOString(), words.events[event], writeActor(actor, words)],
    below: hashes.map(
      ({ name, sha256 }) =>
        `${nameIn(words.hashes, name, printable(name, 40))}: ${printable(sha256)}`,
    ),
  };
}

/** `user 6f1c...`: the kind in the reader's language, the identifier as it is. */
function writeActor(actor: string, { actors }: Words['document']['custody']): string {
  const known = Object.entries(actors).find(([kind]) => `${actor} `.startsWith(`${kind} `));
  if (known === undefined) return printable(actor, 80);
  const [kind, name] = known;
  return printable(`${name}${actor.slice(kind.length)}`, 80);
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
