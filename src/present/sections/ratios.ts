/** How well the likelihood ratios performed in tests: Tippett plots, Cllr and bounds. */

import type { HeldOutRatios } from '../../inference/fields.ts';
import { nameIn, printable } from '../printable.ts';
import { measuredLike } from '../result.ts';
import type { Weighed } from '../strength.ts';
import { type Block, type Curve, heading, only, type Plot, type SectionInput } from './blocks.ts';

/** One plot for each question on which the picture has a ratio. */
export function ratioBlocks(input: SectionInput): readonly Block[] {
  const { catalogue, evidence, examination } = input;
  const measured = {
    generated: measuredLike(examination.measured, examination.facts),
    changed: measuredLike(examination.measuredCalls, examination.facts),
  };
  const plots = (evidence.weighed ?? []).flatMap((weighed) => {
    const { condition = '', ratios } = measured[weighed.question] ?? {};
    if (ratios === undefined) return [];
    return [
      {
        plot: toPlot(input, weighed, ratios),
        told: writeMeasured(input, weighed.question, { condition, ratios }),
      },
    ];
  });
  return only(
    plots.length > 0,
    heading(catalogue.strength.evaluation.tippett.title),
    { kind: 'curves', plots: plots.map(({ plot }) => plot) },
    { kind: 'list', items: plots.map(({ told }) => told) },
  );
}

/** Turns cumulative shares into the falling curves of a Tippett plot. */
export function toPlot(
  { catalogue, numbers }: SectionInput,
  { question, side, ratio }: Weighed,
  { tippett, lower, upper }: HeldOutRatios,
): Plot {
  const { titles, axis, names, own } = catalogue.strength.evaluation.tippett;
  const log = Math.log10(ratio ?? 1);
  return {
    title: titles[question],
    axis,
    ticks: [-4, -2, 0, 2, 4].map((tick) =>
      tick < 0 ? `1/${numbers.count(10 ** -tick)}` : numbers.count(10 ** tick),
    ),
    supporting: toCurve(names[question].supporting, tippett.supporting),
    opposing: toCurve(names[question].opposing, tippett.opposing),
    own: { name: own, at: side === 'fake' ? log : -log },
    bounds: [Math.log10(lower), Math.log10(upper)],
  };
}

function toCurve(name: string, rising: readonly number[]): Curve {
  return { name, points: rising.map((log, at) => [log, 1 - at / (rising.length - 1)]) };
}

export function writeMeasured(
  { catalogue, labels, numbers }: SectionInput,
  question: Weighed['question'],
  { condition, ratios }: { readonly condition: string; readonly ratios: HeldOutRatios },
): string {
  const { calibration, recorded, supporting, opposing, cllr, lower, upper } = ratios;
  const { titles, names, measured } = catalogue.strength.evaluation.tippett;
  // Rounded down, because a ratio is a claim about strength.
  const bound = (ratio: number) =>
    ratio < 10 ? numbers.plain(Math.floor(10 * ratio) / 10) : numbers.count(Math.floor(ratio));
  return measured({
    title: titles[question],
    calibration:
      calibration === undefined
        ? null
        : {
            pictures: numbers.count(calibration.pictures),
            sources: numbers.count(calibration.sources),
          },
    date: numbers.stated(recorded),
    supporting: `${numbers.count(supporting)} ${names[question].supporting}`,
    opposing: `${numbers.count(opposing)} ${names[question].opposing}`,
    condition: nameIn(labels.validation.conditions, condition, printable(condition, 60)),
    cllr: numbers.fixed(cllr, 2),
    lower: `1/${bound(1 / lower)}`,
    upper: bound(upper),
  });
}
