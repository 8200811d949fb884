/** A validation as a report cites it. */

import { identityOf, isSameModel, nameOfModel } from '../engine/model-identity.ts';
import type { ModelIdentity } from '../engine/result.ts';
import { ForensicsError } from '../errors.ts';
import type { MeasuredCondition, MeasuredRates, ModelManifest } from '../inference/model.ts';
import type { OwnValidation } from '../report/item.ts';
import type { ConditionFigures, Validation } from './validation.ts';
import type { DecisionStrategy } from '../contract/vocabulary.ts';

/**
 * @param manifest - the model whose results the report is about: error rates of another, or of another version, say nothing
 * about it.
 * @throws {ForensicsError} `conflict` when the validation measured another model.
 */
export function citedAs(
  validation: Validation,
  manifest: Pick<ModelManifest, 'id' | 'version' | 'files'>,
): OwnValidation {
  const model = identityOf(manifest);
  if (!isSameModel(validation.model, model)) throw otherModel(validation, model);
  return {
    id: validation.id,
    createdAt: new Date(validation.createdAt),
    model,
    conditions: validation.conditions.map(toMeasured),
  };
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
  const [measured, used] = [nameOfModel(validation.model), nameOfModel(model)];
  const what =
    measured === used
      ? `another ${measured}, with other weights or limits`
      : `${measured}, not ${used}`;
  return new ForensicsError(
    'conflict',
    `Validation ${validation.id} measured ${what}; validate the model in use with "forensics validate", or cite none.`,
  );
}
