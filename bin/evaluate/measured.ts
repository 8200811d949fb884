/** The error rates that ship with a model: they go into its manifest and from there into every report. */

import { readFileSync, writeFileSync } from 'node:fs';
import type { DecisionStrategy, ResultClass } from '../../src/contract/vocabulary.ts';
import { boundedLogit } from '../../src/engine/calibration.ts';
import type { MeasuredCondition, MeasuredRates } from '../../src/contract/manifest.ts';
import { auc, aucInterval } from '../../src/service/validation/figures.ts';
import type { HeldOut } from './held-out.ts';
import { type Row, toScored } from './read-samples.ts';

export function measuredOf(rows: readonly Row[]): readonly MeasuredCondition[] {
  return [...Map.groupBy(rows, ({ condition }) => condition)].map(([condition, some]) => {
    const scored = some.map(toScored);
    const [aucLow, aucHigh] = aucInterval(scored);
    return {
      condition,
      real: scored.filter(({ isFake }) => !isFake).length,
      fake: scored.filter(({ isFake }) => isFake).length,
      longerSidePx: longerSidesOf(some),
      auc: rounded(auc(scored)),
      aucLow: rounded(aucLow),
      aucHigh: rounded(aucHigh),
      strategies: {
        pedantic: ratesOf(some, 'pedantic'),
        default: ratesOf(some, 'default'),
        relaxed: ratesOf(some, 'relaxed'),
      },
    };
  });
}

export function heldOutOf(rows: readonly Row[]): readonly HeldOut[] {
  return rows.map(({ sample, condition, examination, classes }) => ({
    condition,
    isSo: sample.isFake,
    kind: '',
    logRatio: boundedLogit(examination.decision.fakeProbability),
    outcome: classes.default === 'fake' ? 'called' : 'none',
  }));
}

function longerSidesOf(rows: readonly Row[]): readonly [number, number] {
  const sides = rows.map(({ examination: { facts } }) => Math.max(facts.width, facts.height));
  return [Math.min(...sides), Math.max(...sides)];
}

function ratesOf(rows: readonly Row[], strategy: DecisionStrategy): MeasuredRates {
  const real = rows.filter(({ sample }) => !sample.isFake);
  const fake = rows.filter(({ sample }) => sample.isFake);
  return {
    decided: rounded(shareOf(rows, strategy, 'real', 'fake')),
    realCalledFake: rounded(shareOf(real, strategy, 'fake')),
    fakeCalledReal: rounded(shareOf(fake, strategy, 'real')),
    realCalledReal: rounded(shareOf(real, strategy, 'real')),
    fakeCalledFake: rounded(shareOf(fake, strategy, 'fake')),
  };
}

function shareOf(
  rows: readonly Row[],
  strategy: DecisionStrategy,
  ...wanted: readonly ResultClass[]
): number {
  return rows.filter(({ classes }) => wanted.includes(classes[strategy])).length / rows.length;
}

/** Changes nothing else in the manifest; the figures apply to the weights and thresholds that it names. */
export function record(manifestFile: string, measured: readonly MeasuredCondition[]): void {
  const manifest: object = JSON.parse(readFileSync(manifestFile, 'utf8'));
  writeFileSync(manifestFile, `${JSON.stringify({ ...manifest, measured }, null, 1)}\n`);
}

function rounded(value: number): number {
  return Number(value.toFixed(6));
}
