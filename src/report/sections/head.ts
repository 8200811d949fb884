/** The head of the report: which report this is, what it is about, and its result in short. */

import { createHash } from 'node:crypto';
import type { Examination } from '../../engine/result.ts';
import { type Block, note, row, type SectionInput } from '../blocks.ts';
import type { ReportItem } from '../item.ts';
import { writeTime } from '../numbers.ts';
import { printable } from '../printable.ts';

export function headBlocks(input: SectionInput): readonly Block[] {
  const { examination, item, texts, labels, prose } = input;
  const { rows } = labels;
  const program = `${labels.product} ${printable(examination.environment['forensics'] ?? '')}`;
  const { facts, evaluation } = prose.parts;
  return [
    { kind: 'verdict', headline: headlineOf(input), text: texts.summary },
    {
      kind: 'table',
      rows: [
        { label: rows.report, value: reportNumber(examination, item) },
        ...row(item.analysisId !== null, rows.analysis, printable(item.analysisId ?? '')),
        { label: rows.examinedAt, value: writeTime(item.examinedAt) },
        { label: rows.preparedBy, value: prose.head.preparedBy(program.trim()) },
        { label: rows.versions, value: prose.head.versions },
      ],
    },
    note(prose.head.reading({ facts, evaluation })),
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
export function reportNumber(
  { facts, model, options }: Examination,
  { analysisId, examinedAt }: ReportItem,
): string {
  const parts = [facts.sha256, model.files, options, analysisId, examinedAt.toISOString()];
  const digest = createHash('sha256').update(JSON.stringify(parts)).digest('hex');
  return digest.slice(0, 12).toUpperCase().match(/.{4}/g)!.join('-');
}
