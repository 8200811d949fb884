/** What repeating an examination found, to be read by a person. */

import { numberTolerance } from '../../evidence/compare.ts';
import type { FieldDifference } from '../../evidence/compare.ts';
import type { FileComparison, Outcome, Reproduction } from '../../evidence/reproduction.ts';
import { layCard, listRows, type Row } from '../card.ts';
import { printable } from '../printable.ts';
import { columnsOf, paint, type Style } from '../terminal.ts';

const titles: Readonly<Record<Outcome, readonly [Style, string]>> = {
  identical: [['bold', 'green'], 'IDENTICAL'],
  'same-result': [['bold', 'green'], 'SAME RESULT, not byte for byte'],
  different: [['bold', 'red'], 'DIFFERENT'],
};

const sentences: Readonly<Record<Outcome, string>> = {
  identical: 'every value, every pixel and every byte of the reports came out again',
  'same-result': `same verdict; numbers within ${numberTolerance}, pixels within one step of the colour scale`,
  different: 'what came out is not what the bundle says',
};

/** More are told as JSON only. */
const mostDifferences = 20;

export function reproductionCard(name: string, found: Reproduction): string {
  const [style, words] = titles[found.outcome];
  const title = `${printable(name)}: ${paint(process.stdout)(style, words)}`;
  return layCard(title, rowsOf(found), columnsOf(process.stdout));
}

function rowsOf(found: Reproduction): readonly Row[] {
  const { outcome, verdict, model, valuesCompared, differences, files, environment } = found;
  const other = files.filter(({ isIdentical }) => !isIdentical);
  const rest = differences.length - mostDifferences;
  return [
    ['Outcome', sentences[outcome]],
    ['Verdict', `${printable(verdict.recorded)} in the bundle, ${verdict.found} again`],
    ['Model', `${model.id} ${model.version}, the very files that the bundle names`],
    ['Compared', `${valuesCompared} values and ${files.length} files`],
    ...listRows('Values', differences.slice(0, mostDifferences).map(differenceLine)),
    ...(rest > 0 ? [['', `... and ${rest} more; --json tells them all`] as const] : []),
    ...listRows('Files', other.map(fileLine)),
    ...listRows('Elsewhere', environment.map(environmentLine)),
  ];
}

function differenceLine({ path, recorded, found, kind }: FieldDifference): string {
  const values = kind === 'wording' ? 'other words' : `${shown(recorded)}, again ${shown(found)}`;
  return `${printable(path)}: ${values}${kind === 'rounding' ? ' (within the tolerance)' : ''}`;
}

function shown(value: unknown): string {
  const text = value === undefined ? 'nothing' : JSON.stringify(value);
  return printable(text.length > 60 ? `${text.slice(0, 60)}...` : text);
}

function fileLine({ name, pixels, isTolerated }: FileComparison): string {
  if (pixels === null)
    return `${name}: other bytes${isTolerated ? ', as other versions write' : ''}`;
  const farthest = `${(100 * pixels.largest).toFixed(2)} % of the scale`;
  return `${name}: ${pixels.differing} samples differ, by ${farthest} at most`;
}

function environmentLine({ name, recorded, found }: Reproduction['environment'][number]): string {
  return printable(`${name}: ${recorded ?? 'unknown'} in the bundle, ${found ?? 'unknown'} here`);
}
