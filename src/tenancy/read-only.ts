import { isDeepStrictEqual } from 'node:util';
import { ForensicsError } from '../errors.ts';
import type { TenantAnswer } from './view.ts';

/** Members that a client may send back as they were answered, and change nothing by. */
export interface ReadOnlyFields {
  readonly id?: unknown;
  readonly apiKeys?: unknown;
  readonly analytics?: unknown;
  readonly isTrial?: unknown;
  readonly createdDate?: unknown;
}

const readOnly = ['id', 'apiKeys', 'analytics', 'isTrial', 'createdDate'] as const;

/**
 * What tells only of a moment (`updatedDate`, `webhookState`, `storageWarning`, the last use and the end of a key) is not compared.
 *
 * @throws {ForensicsError} `invalid_request` for a member that is not as it was answered.
 */
export function refuseReadOnly(request: ReadOnlyFields, answered: TenantAnswer): void {
  const known: ReadOnlyFields = { ...answered, apiKeys: asOfAnyMoment(answered.apiKeys) };
  for (const member of readOnly) {
    const sent = member === 'apiKeys' ? asOfAnyMoment(request.apiKeys) : request[member];
    if (sent === undefined || isDeepStrictEqual(sent, known[member])) continue;
    throw new ForensicsError(
      'invalid_request',
      `${member} is read-only here; leave it out, or send it as GET /v1/tenant answered it.`,
    );
  }
}

function asOfAnyMoment(apiKeys: unknown): unknown {
  if (!Array.isArray(apiKeys)) return apiKeys;
  return apiKeys.map((entry: unknown) =>
    typeof entry === 'object' && entry !== null
      ? { ...entry, lastUsedDate: null, ended: null }
      : entry,
  );
}
