import { Value } from 'typebox/value';
import {
  type Analysis,
  type AnalysisOptions,
  type CreateRequest,
  givenOptions,
} from '../../contract/analysis.ts';
import { defaultSeed } from '../../contract/vocabulary.ts';
import { foldText, newId } from '../../ports/db/database.ts';
import { ForensicsError } from '../../errors.ts';
import { type Caller, type Context, toRepeatable } from './context.ts';
import { messages } from './lifecycle/changes.ts';
import { insertAnalysis } from './lifecycle/client.ts';
import { getAnalysis } from './view.ts';

/**
 * Creates an analysis that waits for its upload, from a body that its schema has checked.
 *
 * @throws {ForensicsError} `invalid_request`, `model_not_found`, `store_unavailable`, `conflict` for a misused
 *   Idempotency-Key.
 */
export async function createAnalysis(
  context: Context,
  caller: Caller,
  request: CreateRequest,
): Promise<Analysis> {
  const { models, stores, now } = context;
  const { principal, tenant } = caller;
  const options = mergeOptions(defaultOptions(models), request.input.options, models);
  const { store, configId } = await stores.current(tenant.id);
  const { name, comment = '', tags = [], projectId = null, caseData = null, input } = request;
  const createdAt = now();
  const id = newId(createdAt);
  const row = {
    id,
    tenantId: tenant.id,
    projectId,
    name,
    nameFolded: foldText(name),
    comment,
    commentFolded: foldText(comment),
    tags,
    caseData,
    storageType: store.type,
    storageConfigId: configId,
    format: input.format,
    width: input.width,
    height: input.height,
    filename: input.filename,
    inputKey: `analyses/${id}/input.${input.format}`,
    ...options,
    modelVersion: models.find((model) => model.id === options.model)!.version,
    status: 'pending',
    statusMessage: messages.created,
    retryCount: 0,
    createdAt,
    createdByType: principal.type,
    createdById: principal.id,
    lastChangedByType: principal.type,
    lastChangedById: principal.id,
  } as const;
  const repeatable = toRepeatable(caller, { act: 'create', request }, now());
  const analysisId = await insertAnalysis(context, row, { actor: principal, repeatable });
  return getAnalysis(context, caller, analysisId);
}

/** The options of every new analysis, unless others are given. */
function defaultOptions(models: readonly { readonly id: string }[]): AnalysisOptions {
  const [first] = models;
  if (first === undefined) throw new RangeError('the list of models is empty');
  return {
    model: first.id,
    decisionStrategy: 'default',
    tier: 'flagging',
    seed: defaultSeed,
  };
}

/**
 * `base` with the given options replaced.
 *
 * @throws {ForensicsError} `invalid_request` for an unknown field or an invalid value, `model_not_found`.
 */
export function mergeOptions(
  base: AnalysisOptions,
  given: unknown,
  models: readonly { readonly id: string }[],
): AnalysisOptions {
  if (!Value.Check(givenOptions, given)) {
    throw new ForensicsError(
      'invalid_request',
      'options may contain model, decisionStrategy, tier and seed, each with a value that the API description allows.',
    );
  }
  const options = { ...base, ...given };
  // An upgrade keeps the model of its result, which this version may no longer have.
  if (options.model !== base.model) assertKnownModel(options.model, models);
  return options;
}

/** @throws {ForensicsError} `model_not_found`. */
export function assertKnownModel(model: string, models: readonly { readonly id: string }[]): void {
  const known = models.map(({ id }) => id);
  if (known.includes(model)) return;
  throw new ForensicsError(
    'model_not_found',
    `Model not found; options.model can be ${known.join(', ')}.`,
  );
}
