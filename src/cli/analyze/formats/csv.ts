/** A row a picture, for spreadsheets. The header is the same for ever: a column is added at the end or not at all. */

import { resultSubClasses } from '../../../contract/vocabulary.ts';
import { csvText, type CsvValue } from '../../output/details.ts';
import { printable } from '../../output/print.ts';
import type { AnalysisRecord } from '../record.ts';
import type { Face } from './formats.ts';
import { statedProbability } from './wording.ts';

type Column = readonly [name: string, valueOf: (record: AnalysisRecord) => CsvValue];

const columns: readonly Column[] = [
  ['file', ({ file }) => file],
  ['sha256', ({ sha256 }) => sha256],
  ['verdict', ({ verdict }) => verdict],
  ['subClasses', subClassesOf],
  ['reasons', ({ reasons }) => reasons.join(' ')],
  ['fakeProbability', (record) => rounded(ofGeneration(record)?.fakeProbability)],
  ['uncertainty', (record) => rounded(ofGeneration(record)?.fakeUncertainty)],
  ['width', ({ picture }) => picture?.width ?? null],
  ['height', ({ picture }) => picture?.height ?? null],
  ['format', ({ picture }) => picture?.format ?? null],
  ['bytes', ({ picture }) => picture?.sizeBytes ?? null],
  ['model', ({ model }) => (model === null ? null : `${model.id} ${model.version}`)],
  ['tier', ({ tier }) => tier],
  ['seconds', ({ durationMs }) => durationMs / 1000],
  ['errorCode', ({ error }) => error?.code ?? null],
  ['errorMessage', ({ error }) => error?.message ?? null],
  ['changeProbability', ({ decision }) => rounded(decision?.changeProbability)],
];

/** A terminal obeys what a file takes as it is: there, what steers it is shown instead. */
export function createCsvFace(isForTerminal: boolean): Face {
  const shown = (value: CsvValue) =>
    isForTerminal && typeof value === 'string' ? printable(value) : value;
  return {
    head: csvText([columns.map(([name]) => name)]),
    add: (record) => csvText([columns.map(([, valueOf]) => shown(valueOf(record)))]),
    end: () => '',
  };
}

function subClassesOf({ result }: AnalysisRecord): CsvValue {
  return result?.resultSubClasses.map((n) => resultSubClasses[n]!).join(' ') ?? null;
}

/** Nothing where a table beside it would say nothing either, and nothing where a changed part decided. */
function ofGeneration(record: AnalysisRecord): AnalysisRecord['decision'] {
  return statedProbability(record)?.deviation == null ? null : record.decision;
}

/** More digits than the number deserves would only be noise in a column. */
function rounded(value: number | null | undefined): CsvValue {
  return value == null ? null : Number(value.toFixed(4));
}
