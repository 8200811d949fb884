import type { Analysis } from './analysis.ts';
import type { Caller, Context } from './context.ts';
import { newId } from '../db/ids.ts';
import { foldText } from '../db/text.ts';
import { messages } from './act.ts';
import { repeatableOf } from './repeatable.ts';
import { checkCreateRequest, type CreateRequest, defaultOptions, mergeOptions } from './request.ts';
import { getAnalysis } from './list.ts';

/**
 * A new analysis, waiting for its upload. Storage URLs in the request are ignored: the service makes its own.
 *
 * @throws {ForensicsError} `invalid_request`, `model_not_found`, `store_unavailable`, `conflict` for a misused
 * Idempotency-Key.
 */
export async function createAnalysis(
  context: Context,
  caller: Caller,
  request: CreateRequest,
): Promise<Analysis> {
  const { limits, models, lifecycle, stores, now } = context;
  const { principal, tenant } = caller;
  checkCreateRequest(request, limits);
  const options = mergeOptions(defaultOptions(models), request.input.options, models);
  const { store, configId } = await stores.current(tenant.id);
  const { name, comment = '', tags = [], projectId = null, input } = request;
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
  const repeatable = repeatableOf(caller, { act: 'create', request }, now());
  const analysisId = lifecycle.create(row, { actor: principal, repeatable });
  return getAnalysis(context, caller, analysisId);
}
