/** A validation as a report cites it. */

import type { DecisionStrategy, ModelIdentity } from '../engine/result.ts';
import { ForensicsError } from '../errors.ts';
import type { MeasuredCondition, MeasuredRates, ModelManifest } from '../inference/model.ts';
import type { OwnValidation } from '../report/item.ts';
import { isSameModel } from './record.ts';
import type { ConditionFigures, Validation } from './validation.ts';

/**
 * @param model - the one whose results the report is about: error rates of another, or of another version, say nothing
 * about it.
 * @throws {ForensicsError} `conflict` when the validation measured another model.
 */
export function citedAs(
  validation: Validation,
  { id, version, files }: Pick<ModelManifest, 'id' | 'version' | 'files'>,
): OwnValidation {
  const digests = Object.entries(files).map(([name, { sha256 }]) => [name, sha256] as const);
  const model = { id, version, files: Object.fromEntries(digests) };
  if (!isSameModel(validation.model, model)) throw otherModel(validation, model);
  return {
    id: validation.id,
    createdAt: new Date(validation.createdAt),
    model: nameOf(model),
    conditions: validation.conditions.map(toMeasured),
  };
}

function nameOf({ id, version }: Pick<ModelIdentity, 'id' | 'version'>): string {
  return `${id} ${version}`;
}

function toMeasured({ condition, auc, strategies }: ConditionFigures): MeasuredCondition {
  const { real, fake } = strategies.default;
  return {
    condition,
    real: real.wrong.of,
    fake: fake.wrong.of,
    auc: auc.value,
    aucLow: auc.low,
    aucHigh: auc.high,
    strategies: {
      pedantic: ratesOf(strategies.pedantic),
      default: ratesOf(strategies.default),
      relaxed: ratesOf(strategies.relaxed),
    },
  };
}

function ratesOf({ real, fake }: ConditionFigures['strategies'][DecisionStrategy]): MeasuredRates {
  return {
    decided: (real.decided.count + fake.decided.count) / (real.decided.of + fake.decided.of),
    realCalledFake: real.wrong.share,
    fakeCalledReal: fake.wrong.share,
    realCalledReal: real.verdicts.real / real.wrong.of,
    fakeCalledFake: fake.verdicts.fake / fake.wrong.of,
  };
}

function otherModel(validation: Validation, model: ModelIdentity): ForensicsError {
  const [measured, used] = [nameOf(validation.model), nameOf(model)];
  const what =
    measured === used ? `another ${measured}, with other weights or limits` : `${measured}, not ${used}`;
  return new ForensicsError(
    'conflict',
    `Validation ${validation.id} measured ${what}; validate the model in use with "forensics validate", or cite none.`,
  );
}
