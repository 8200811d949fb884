/** What bears the strength that the first page states, how good the models' ratios are, and how far the result goes. */

import { type Strength, strengths } from '../../contract/vocabulary.ts';
import { strengthFrom } from '../../detectors/detector.ts';
import type { HeldOutRatios } from '../../inference/manifest-parts.ts';
import { isDeclared } from '../forensic-text.ts';
import { nameIn, printable } from '../printable.ts';
import { measuredLike } from '../result.ts';
import type { Weighed } from '../strength.ts';
import {
  type Block,
  type Curve,
  note,
  heading,
  only,
  paragraph,
  type Plot,
  type SectionInput,
} from './blocks.ts';

export function evaluationBlocks(input: SectionInput): readonly Block[] {
  const { account, catalogue, evidence, examination } = input;
  const { evaluation: words } = catalogue.strength;
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
  return [
    ...account.support.map(paragraph),
    ...only(
      plots.length > 0,
      heading(words.tippett.title),
      { kind: 'curves', plots: plots.map(({ plot }) => plot) },
      { kind: 'list', items: plots.map(({ told }) => told) },
    ),
    note([writeScale(input), words.scaleNote].join(' ')),
  ];
}

/** The curves fall from all pictures to none, as a Tippett plot shows them. */
export function toPlot(
  { catalogue }: SectionInput,
  { question, side, ratio }: Weighed,
  { tippett, lower, upper }: HeldOutRatios,
): Plot {
  const { titles, axis, names, own } = catalogue.strength.evaluation.tippett;
  const log = Math.log10(ratio ?? 1);
  return {
    title: titles[question],
    axis,
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
  // Never up: a ratio is a claim.
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

function writeScale({ numbers, catalogue }: SectionInput): string {
  const { evaluation: words, adverbs } = catalogue.strength;
  const steps = strengths
    .map((strength, step): readonly [Strength, number] => [strength, strengthFrom[step] ?? 0])
    .flatMap(([strength, from]) =>
      strength === 'none' ? [] : [words.scaleStep(adverbs[strength], numbers.count(from))],
    );
  return words.scale(steps.join(', '));
}

export function limitBlocks({ examination, catalogue }: SectionInput): readonly Block[] {
  const { limits: words } = catalogue.limits;
  const { decision } = examination;
  const changedOrTraced = decision.basis === 'localisation' ? 'changed' : 'traced';
  const nature = isDeclared(decision) ? 'declared' : changedOrTraced;
  return [{ kind: 'list', items: [words.nature[nature], ...words.statements] }];
}
