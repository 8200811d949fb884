/** The error rates measured under the strategy used, for each condition, and how well the likelihood ratios performed. */

import { isSameModel, modelName } from '../../detectors/result.ts';
import { shareInterval } from '../../detectors/likelihood-ratio.ts';
import type { HeldOutRatios } from '../../contract/manifest-fields.ts';
import type { MeasuredCalls, MeasuredCondition } from '../../contract/manifest.ts';
import { type MeasuredError, readError } from '../error-rate.ts';
import type { NumberWriter } from '../wording/catalogue.ts';
import { nameIn, printable } from '../text.ts';
import type { OwnValidation } from '../report-item.ts';
import { measuredLike, readFigures, sumFound, toFound } from '../result.ts';
import type { Weighed } from '../evidence.ts';
import {
  type Block,
  type Curve,
  grid,
  heading,
  only,
  paragraph,
  type Plot,
  type SectionInput,
} from './blocks.ts';

export function validationBlocks(input: SectionInput): readonly Block[] {
  const { item, catalogue, evidence, language } = input;
  const { validation: words } = catalogue.limits;
  return [
    ...ratesBlocks(input),
    ...changeRatesBlocks(input),
    ...ratioBlocks(input),
    ...(item.validation === undefined ? [] : ownBlocks(input, item.validation)),
    heading(words.neverTestedTitle),
    { kind: 'list', items: words.neverTested },
    heading(catalogue.limits.limits.notCheckedTitle),
    { kind: 'list', items: evidence.notChecked.map(({ statement }) => statement[language]) },
  ];
}

function ratesBlocks(input: SectionInput): readonly Block[] {
  const { catalogue, numbers, examination } = input;
  const { measured, options } = examination;
  const { validation: words } = catalogue.limits;
  const [first] = measured;
  if (first === undefined) return [paragraph(words.none)];
  const intro = words.intro({
    strategy: catalogue.verdict.strategies[options.decisionStrategy],
    real: numbers.count(first.real),
    fake: numbers.count(first.fake),
  });
  return [
    paragraph([intro, ...writeSides(input, first)].join(' ')),
    ratesGrid(input, measured),
    paragraph(words.meaning),
  ];
}

/** States the range of picture sizes, because readers would otherwise assume that any size was measured. */
function writeSides(
  { catalogue, numbers }: SectionInput,
  { longerSidePx }: MeasuredCondition,
  own?: number,
): readonly string[] {
  if (longerSidePx === undefined) return [];
  const { sides, outside } = catalogue.limits.validation;
  const [least = '', greatest = ''] = longerSidePx.map(numbers.count);
  const range = { least, greatest };
  return [own === undefined ? sides(range) : outside({ ...range, own: numbers.count(own) })];
}

/** A note for the first page if the picture is larger or smaller than every picture in the tests for generation. */
export function writeOutsideSizes(input: SectionInput): readonly string[] {
  const { facts, measured } = input.examination;
  const [first] = measured;
  const [least = 0, greatest = Infinity] = first?.longerSidePx ?? [];
  const side = Math.max(facts.width, facts.height);
  const isInside = side >= least && side <= greatest;
  const isStated = readFigures(input.examination).generated !== null;
  return first === undefined || isInside || !isStated ? [] : writeSides(input, first, side);
}

function ownBlocks(input: SectionInput, validation: OwnValidation): readonly Block[] {
  const { examination, catalogue, numbers } = input;
  const { validation: words } = catalogue.limits;
  const { id, createdAt, model, conditions } = validation;
  const about = words.own({
    real: numbers.count(conditions[0]?.real ?? 0),
    fake: numbers.count(conditions[0]?.fake ?? 0),
    time: numbers.time(createdAt),
    model: printable(modelName(model), 80),
    strategy: catalogue.verdict.strategies[examination.options.decisionStrategy],
  });
  return [
    heading(words.ownTitle(printable(id, 40))),
    paragraph(about),
    ...only(!isSameModel(model, examination.model), paragraph(words.ownOtherModel)),
    ...only(conditions.length > 0, ratesGrid(input, conditions)),
    ...ownRatios(input, conditions),
  ];
}

function ownRatios(
  input: SectionInput,
  conditions: readonly MeasuredCondition[],
): readonly Block[] {
  const weighed = input.evidence.weighed?.find(({ question }) => question === 'generated');
  const [first] = conditions;
  if (weighed === undefined || first?.ratios === undefined) return [];
  const { condition, ratios } = first;
  return [
    { kind: 'curves', plots: [toPlot(input, weighed, ratios)] },
    paragraph(writeMeasured(input, 'generated', condition, ratios)),
  ];
}

function ratesGrid(input: SectionInput, measured: readonly MeasuredCondition[]): Block {
  const { examination, catalogue, numbers } = input;
  const strategy = examination.options.decisionStrategy;
  const rows = measured.map((one) => ({
    cells: [
      conditionName(input, one),
      `${numbers.exact(one.auc)} (${numbers.range(one.aucLow, one.aucHigh)})`,
      numbers.rate(one.strategies[strategy].decided),
      writeError(readError(one, strategy, 'real'), numbers),
      writeError(readError(one, strategy, 'fake'), numbers),
    ],
  }));
  return grid(catalogue.limits.validation.columns, [0.23, 0.2, 0.13, 0.22, 0.22], rows);
}

function conditionName(
  { labels }: Pick<SectionInput, 'labels'>,
  { condition }: { readonly condition: string },
): string {
  return nameIn(labels.validation.conditions, condition, printable(condition, 60));
}

/** Empty for examinations from earlier versions, and for models that were not measured. */
function changeRatesBlocks(input: SectionInput): readonly Block[] {
  const { examination, catalogue, numbers } = input;
  const { measuredCalls, options } = examination;
  const { title, intro, columns, sizes, meaning } = catalogue.limits.validation.changes;
  const ofEverySize = measuredCalls.filter(({ megapixels }) => megapixels === undefined);
  const bySize = measuredCalls.filter((one) => one.condition === 'as is' && one.megapixels);
  const [first] = ofEverySize;
  if (first === undefined) return [];
  return [
    heading(title),
    paragraph(
      intro({
        strategy: catalogue.verdict.strategies[options.decisionStrategy],
        changed: numbers.count(first.changed),
        photographs: numbers.count(first.photographs),
      }),
    ),
    callsGrid(input, columns, ofEverySize, (one) => conditionName(input, one)),
    ...suspectedBlocks(input, ofEverySize),
    ...only(
      bySize.length > 0,
      paragraph(sizes.intro),
      callsGrid(input, [sizes.column, ...columns.slice(1)], bySize, (one) => writeSize(input, one)),
    ),
    paragraph(meaning),
  ];
}

/** Error rates of suspicions, which were counted only under the default strategy. */
function suspectedBlocks(input: SectionInput, measured: readonly MeasuredCalls[]) {
  if (input.examination.options.decisionStrategy !== 'default') return [];
  const { suspected } = input.catalogue.limits.validation.changes;
  const { count } = input.numbers;
  const items = measured.flatMap(({ kinds, unchanged, ...one }) => {
    if (kinds === undefined || unchanged === undefined) return [];
    const { found, pictures } = sumFound(kinds.map(toFound));
    return [
      suspected.row({
        condition: conditionName(input, one),
        found: count(found),
        changed: count(pictures),
        falsely: count(toFound(unchanged).found),
        called: count(unchanged.called),
        unchanged: count(unchanged.pictures),
      }),
    ];
  });
  return only(items.length > 0, paragraph(suspected.intro), { kind: 'list', items });
}

function writeSize(
  { catalogue, numbers }: SectionInput,
  { megapixels, changed, photographs }: MeasuredCalls,
): string {
  const { from = 0, below = null } = megapixels ?? {};
  const { sizes } = catalogue.limits.validation.changes;
  return sizes.row({
    from: from === 0 ? null : numbers.plain(from),
    below: below === null ? null : numbers.plain(below),
    changed: numbers.count(changed),
    photographs: numbers.count(photographs),
  });
}

function callsGrid(
  { examination, numbers }: SectionInput,
  titles: readonly string[],
  measured: readonly MeasuredCalls[],
  writeCell: (one: MeasuredCalls) => string,
): Block {
  const writeCallRate = (some: number, of: number) =>
    writeError({ rate: some / of, ...shareInterval(some, of) }, numbers);
  const rows = measured.map((one) => {
    const called = one.strategies[examination.options.decisionStrategy];
    const cells = [
      writeCell(one),
      writeCallRate(called.changed, one.changed),
      writeCallRate(called.photographs, one.photographs),
    ];
    return { cells };
  });
  return grid(titles, [0.3, 0.35, 0.35], rows);
}

function writeError({ rate, low, high }: MeasuredError, numbers: NumberWriter): string {
  return `${numbers.rate(rate)} (${numbers.rates(low, high)})`;
}

function ratioBlocks(input: SectionInput): readonly Block[] {
  const { catalogue, evidence, examination } = input;
  const measured = {
    generated: measuredLike(examination.measured, examination.facts),
    changed: measuredLike(examination.measuredCalls, examination.facts),
  };
  const plots: Plot[] = [];
  const items: string[] = [];
  for (const weighed of evidence.weighed ?? []) {
    const { condition = '', ratios } = measured[weighed.question] ?? {};
    if (ratios === undefined) continue;
    plots.push(toPlot(input, weighed, ratios));
    items.push(writeMeasured(input, weighed.question, condition, ratios));
  }
  const title = heading(catalogue.strength.evaluation.tippett.title);
  return only(plots.length > 0, title, { kind: 'curves', plots }, { kind: 'list', items });
}

/** Turns cumulative shares into the falling curves of a Tippett plot. */
function toPlot(
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

function writeMeasured(
  { catalogue, labels, numbers }: SectionInput,
  question: Weighed['question'],
  condition: string,
  ratios: HeldOutRatios,
): string {
  const { calibration, recorded, supporting, opposing, cllr, lower, upper } = ratios;
  const { titles, names, measured } = catalogue.strength.evaluation.tippett;
  // Rounded down, because a ratio is a claim about strength.
  const bound = (ratio: number) =>
    ratio < 10 ? numbers.plain(Math.floor(10 * ratio) / 10) : numbers.count(Math.floor(ratio));
  const { count } = numbers;
  return measured({
    title: titles[question],
    calibration: calibration
      ? { pictures: count(calibration.pictures), sources: count(calibration.sources) }
      : null,
    date: numbers.stated(recorded),
    supporting: `${count(supporting)} ${names[question].supporting}`,
    opposing: `${count(opposing)} ${names[question].opposing}`,
    condition: conditionName({ labels }, { condition }),
    cllr: numbers.fixed(cllr, 2),
    lower: `1/${bound(1 / lower)}`,
    upper: bound(upper),
  });
}
