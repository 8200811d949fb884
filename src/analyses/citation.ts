import { isSameModel } from '../engine/model-identity.ts';
import type { Examination } from '../engine/result.ts';
import type { ReportItem } from '../report/item.ts';
import type { Context } from './context.ts';

/**
 * The operator's own validation as part of a report's item, or nothing where there is none. A picture may have been
 * examined with another model, or before the model was replaced: error rates of the one say nothing about the other.
 */
export function citationFor(
  { validation }: Pick<Context, 'validation'>,
  { model }: Pick<Examination, 'model'>,
): Pick<ReportItem, 'validation'> {
  return validation !== null && isSameModel(validation.model, model) ? { validation } : {};
}
