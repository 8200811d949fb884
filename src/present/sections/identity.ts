/** Which report this is, who did what, and which file was examined. */

import { createHash } from 'node:crypto';
import { formatNames } from '../../contract/formats.ts';
import type { Language } from '../../contract/vocabulary.ts';
import { modelName } from '../../engine/contract.ts';
import type { Examination } from '../../engine/result.ts';
import { capitalised, kept, printable } from '../printable.ts';
import { type ReportItem, writeActor } from '../report-item.ts';
import { wordsIn } from '../wording/catalogue.ts';
import { foreignRow, type Row, row, type SectionInput } from './blocks.ts';

/** The three roles (program, operator, reviewer), the file and this report. */
export function identityRows(input: SectionInput): readonly Row[] {
  const { examination, item, labels, catalogue, numbers } = input;
  const { facts, model, locator, environment } = examination;
  const { head, caseData, custody } = catalogue.document;
  const { rows } = head;
  const version = `${labels.product} ${printable(environment['forensics'] ?? '')}`.trim();
  const models = kept([modelName(model), locator && modelName(locator)]);
  const { caseNumber, exhibit, examiner, note } = item.caseData ?? {};
  const named = kept([
    printable(caseNumber ?? '', 80),
    exhibit !== undefined && `${caseData.exhibit} ${printable(exhibit, 80)}`,
  ]);
  const operator = item.custody?.find(({ actor }) => actor !== 'service')?.actor;
  const size = `${numbers.count(facts.width)} × ${numbers.count(facts.height)} ${labels.pixels}`;
  const bytes = `${numbers.count(facts.sizeBytes)} ${labels.bytes}`;
  const misnamed = facts.notes.includes('extension_disagrees') ? ` (${head.misnamed})` : '';
  const programs = models.map((one) => printable(one, 80)).join(', ');
  const isNamed = operator !== undefined && operator !== 'operator';
  const operatorName = isNamed && capitalised(printable(writeActor(operator, custody.actors), 80));
  const reviewer = examiner !== undefined && head.reviewer(printable(examiner, 80));
  const format = `${formatNames[facts.format]}${misnamed}`;
  return [
    { label: rows.program, value: head.program(version, programs, numbers.time(item.examinedAt)) },
    { label: rows.operator, value: operatorName || head.noOperator },
    { label: rows.reviewer, value: reviewer || head.noReviewer },
    ...row(named.length > 0, caseData.caseNumber, named.join('; ')),
    ...foreignRow(caseData.note, note ?? null, 300),
    { label: rows.file, value: [format, size, bytes, `SHA-256 ${facts.sha256}`].join(', ') },
  ];
}

/** Below the title: the picture's name, the report's number and, on a server, the analysis. */
export function writeSubtitle(examination: Examination, item: ReportItem, language: Language) {
  const { rows } = wordsIn(language).labels;
  return kept([
    printable(item.name, 100),
    `${rows.report} ${reportNumber(examination, item)}`,
    item.analysisId !== null && `${rows.analysis} ${printable(item.analysisId)}`,
  ]).join(' · ');
}

/**
 * A number that is the same in every language but differs for any other picture, model, setting or
 * run: 48 bits of a SHA-256 in groups of four digits.
 */
export function reportNumber(
  { facts, model, options }: Examination,
  { analysisId, examinedAt }: ReportItem,
): string {
  const parts = [facts.sha256, model.files, options, analysisId, examinedAt.toISOString()];
  const digest = createHash('sha256').update(JSON.stringify(parts)).digest('hex');
  return digest.slice(0, 12).toUpperCase().match(/.{4}/g)!.join('-');
}
