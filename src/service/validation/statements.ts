/** What a validation supports, and what it does not, in plain words for its operator. */

import type { DecisionStrategy } from '../../contract/vocabulary.ts';
import { lowerShare, upperShare } from '../../engine/likelihood-ratio.ts';
import { createNumberWriter } from '../../present/numbers.ts';
import { conditions as allConditions } from '../../examiner/requests.ts';
import { fewestFolders } from './figures.ts';
import { isLeak, lastingFacts } from './shortcut-probe.ts';
import type { ConditionFigures, Counted, Validation } from './validation.ts';

const { rate, count } = createNumberWriter('en');

/** Below this many of a class an interval is so wide that it decides little. */
const fewestPictures = 30;

/** More failures than this, and the pictures that were measured may not be like the rest. */
const maxFailed = 0.05;

/** One sentence a condition on each kind of error, then what follows from them. */
export function writeJudgement(
  validation: Validation,
  strategy: DecisionStrategy,
): readonly string[] {
  return [
    ...validation.conditions.flatMap((figures) => errorSentences(figures, strategy)),
    ...validation.conditions
      .filter(({ auc }) => auc.low <= 0.5)
      .map(
        ({ condition }) =>
          `${condition}: the interval of the AUC reaches down to chance, so these pictures do not show that the model tells the two classes apart.`,
      ),
    ...validation.conditions
      .map((figures) => openSentence(figures, strategy))
      .filter((sentence) => sentence !== ''),
    'These figures hold for pictures like the measured ones; of other cameras, generators and histories they say nothing.',
  ];
}

function errorSentences(
  { condition, strategies }: ConditionFigures,
  strategy: DecisionStrategy,
): readonly string[] {
  const { real, fake } = strategies[strategy];
  return [
    `${condition}: ${errorSentence(real.wrong, 'photographs', 'fake')}`,
    `${condition}: ${errorSentence(fake.wrong, 'generated pictures', 'real')}`,
  ];
}

/** Where nothing, or everything, was wrong the bound is one-sided: that is what "up to" means. */
function errorSentence(wrong: Counted, what: string, called: string): string {
  const verb = `called ${called}`;
  if (wrong.count === 0) {
    const most = rate(upperShare(0, wrong.of));
    return `with ${count(wrong.of)} ${what} and no error, up to ${most} of such ${what} may still be ${verb} (one-sided bound, 95 % confidence).`;
  }
  if (wrong.count === wrong.of) {
    const least = rate(lowerShare(wrong.count, wrong.of));
    return `all ${count(wrong.of)} ${what} were ${verb}; of such ${what} at least ${least} are (one-sided bound, 95 % confidence).`;
  }
  const bounds = `${rate(wrong.low)} to ${rate(wrong.high)}`;
  return `${count(wrong.count)} of ${count(wrong.of)} ${what} (${rate(wrong.share)}) ${wrong.count === 1 ? 'was' : 'were'} ${verb}; of such ${what} it may be ${bounds} (95 % confidence).`;
}

function openSentence(
  { condition, strategies }: ConditionFigures,
  strategy: DecisionStrategy,
): string {
  const { real, fake } = strategies[strategy];
  const decided = real.decided.count + fake.decided.count;
  const all = real.decided.of + fake.decided.of;
  if (decided * 2 >= all) return '';
  return `${condition}: most pictures (${rate(1 - decided / all)}) were left open.`;
}

/** What weakens the figures. */
export function writeWarnings(validation: Validation): readonly string[] {
  return [
    ...fewPictures(validation),
    ...shortcutWarning(validation),
    ...labelWarnings(validation),
    ...fileWarnings(validation),
    ...sourceWarning(validation),
  ];
}

const classes = [
  { name: 'real', what: 'photographs' },
  { name: 'fake', what: 'generated pictures' },
] as const;

function fewPictures({ pictures, conditions }: Validation): readonly string[] {
  const few = classes
    .filter(({ name }) => pictures[name].measured < fewestPictures)
    .map(
      ({ name, what }) =>
        `Measured ${what}: ${count(pictures[name].measured)}. With fewer than ${fewestPictures} the intervals are too wide to decide much.`,
    );
  const all = pictures.real.measured + pictures.fake.measured;
  const tooSmall = allConditions.flatMap((name) => {
    const figures = conditions.find(({ condition }) => condition === name);
    if (!figures) return `${name}: not measured; of one class no picture is large enough for it.`;
    const { real, fake } = figures.strategies.default;
    const missing = all - real.wrong.of - fake.wrong.of;
    if (missing === 0) return [];
    return `${name}: not counted because they would be too small to be examined: ${count(missing)}.`;
  });
  return [...few, ...tooSmall];
}

function shortcutWarning({ shortcut }: Validation): readonly string[] {
  if (shortcut === null) return [];
  const { balancedAccuracy: value, low, telling } = shortcut;
  if (!isLeak({ value, low })) return [];
  const facts = telling.length > 0 ? telling.join(', ') : 'several facts together';
  const lasting = telling.some((fact) => lastingFacts.includes(fact))
    ? ' The sizes still differ under the other conditions.'
    : '';
  return [
    `The two folders differ in more than the origin of their pictures: a simple guess from the files alone (${facts}) is right in ${rate(value)}, where chance is 50 %. The figures under clean may rest on that; web and hard save both classes alike.${lasting}`,
  ];
}

function labelWarnings({ pictures: { real, inBoth } }: Validation): readonly string[] {
  const warnings: string[] = [];
  if (real.declaring > 0) {
    warnings.push(
      `Photographs that say of themselves that they were generated: ${count(real.declaring)}. Look whether they lie in the right folder.`,
    );
  }
  if (inBoth > 0) {
    warnings.push(
      `${count(inBoth)} files lie in both folders with the same content; they were not measured.`,
    );
  }
  return warnings;
}

function fileWarnings({ pictures }: Validation): readonly string[] {
  return classes
    .filter(({ name }) => {
      const { failed, measured } = pictures[name];
      return failed > maxFailed * (failed + measured);
    })
    .map(
      ({ name, what }) =>
        `Not examined of the ${what}: ${count(pictures[name].failed)}. Those that were may not be like them.`,
    );
}

function sourceWarning({ pictures }: Validation): readonly string[] {
  const unsorted = classes.filter(({ name }) => pictures[name].drawnBy === 'picture');
  if (unsorted.length === 0) return [];
  const which = unsorted.map(({ what }) => what).join(' and ');
  return [
    `The ${which} lie in fewer than ${fewestFolders} sub-folders, so each picture counts as independent. If many come from one camera, generator or event, the true intervals are wider: sort them into a sub-folder for each.`,
  ];
}
