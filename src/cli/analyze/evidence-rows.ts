/** The rows of a card that tell what speaks for and against a verdict, strongest first, in a few lines. */

import type { RankedFinding } from '../../report/evidence.ts';
import { listRows, type Row } from '../card.ts';
import type { AnalysisRecord } from './record.ts';
import { sideLabels, strengthWords } from './words.ts';
import type { Side } from '../../contract/vocabulary.ts';

type Evidence = NonNullable<AnalysisRecord['evidence']>;

/** Of one side; `--json` and the report tell all of them. */
const mostFindings = 3;

export function strengthRows({ evidence, verdict }: AnalysisRecord): readonly Row[] {
  if (evidence === null || (verdict !== 'real' && verdict !== 'fake')) return [];
  const { statement, ratio, cap } = evidence;
  const isUnfounded = ratio === null && cap !== null;
  return [['Strength', isUnfounded ? `${statement.en} ${cap.statement.en}` : statement.en]];
}

export function evidenceRows({ findings, stability, notChecked }: Evidence): readonly Row[] {
  return [
    ...sideRows(findings, 'fake'),
    ...sideRows(findings, 'real'),
    ...sideRows(findings, 'neither'),
    ...(stability === null ? [] : [['Stability', stability.statement.en] as const]),
    [
      'Unchecked',
      `${notChecked.length} things that may matter, such as invisible watermarks (SynthID); the report and --json name each`,
    ],
  ];
}

function sideRows(findings: readonly RankedFinding[], side: Side): readonly Row[] {
  const some = findings.filter(({ speaksFor }) => speaksFor === side);
  const told = some.slice(0, mostFindings).map(({ strength, statement }) => {
    return side === 'neither' ? statement.en : `${strengthWords[strength]}: ${statement.en}`;
  });
  const more = some.length - told.length;
  return listRows(sideLabels[side], more > 0 ? [...told, `and ${more} more`] : told);
}
