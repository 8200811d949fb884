/** `/v1/auth/api`: the API keys of a tenant, for everybody who may act for it; new ones, for those who may change its settings. */

import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyRequest } from 'fastify';
import type { Static } from 'typebox';
import { readTag } from '../../service/access/key-format.ts';
import type { Keys, NewKey } from '../../service/access/keys.ts';
import { toActor } from '../../service/access/principal.ts';
import type { Core } from '../../service/core.ts';
import { told } from '../../contract/common.ts';
import { keyQuery, keysAnswer, keysQuery, newKeyAnswer, newKeyBody } from '../../contract/keys.ts';
import { ForensicsError } from '../../errors.ts';
import { success } from '../answers.ts';
import { requireCaller } from '../authenticate.ts';
import { ignoreBodies } from '../bodies.ts';
import { operation, repeatable } from '../openapi-answers.ts';

type KeyParts = Pick<Core, 'keys'>;

const path = '/v1/auth/api';

export const keyRoutes: FastifyPluginAsyncTypebox<KeyParts> = async (server, { keys }) => {
  server.get(path, listApiKeys, async (request) =>
    success(await keys.list(requireCaller(request).tenant.id)),
  );

  server.post(path, createApiKey, async (request) => {
    const { principal, tenant, idempotencyKey = null } = requireCaller(request);
    const { expiresAt, ...wish } = request.body;
    const key = await make(keys, wish, {
      tenantId: tenant.id,
      expiresAt: new Date(expiresAt),
      by: toActor(principal),
      idempotencyKey,
    });
    // A repeated request made nothing. The key outlives its maker's account: who that was stands here.
    if (readTag(key.secret) !== null) {
      const { type: callerType, id: caller } = principal;
      request.log.info({ key: key.uuid, callerType, caller, tenantId: tenant.id }, 'key created');
    }
    return success(key);
  });

  await server.register(deletion, { keys });
};

type Wish = Pick<Static<typeof newKeyBody>, 'name' | 'replaces' | 'graceSeconds'>;
type Making = Omit<NewKey, 'name'>;

const defaultGraceSeconds = 86_400;

/** @throws {ForensicsError} `invalid_request` unless the request is for one of both: a new key, or the rotation of another. */
async function make(keys: Keys, { name, replaces, graceSeconds }: Wish, making: Making) {
  if (replaces === undefined && name !== undefined && graceSeconds === undefined) {
    return keys.mint({ ...making, name });
  }
  if (replaces === undefined || name !== undefined) {
    throw new ForensicsError(
      'invalid_request',
      'Send either name, for a new key, or replaces, with or without graceSeconds: the key that replaces one has its name.',
    );
  }
  const graceMs = 1000 * (graceSeconds ?? defaultGraceSeconds);
  const { key, ...others } = await keys.rotate({ ...making, which: replaces, graceMs });
  return { ...key, ...others };
}

// In a scope of its own: the contract's DELETE has no body, but a content type.
const deletion: FastifyPluginAsyncTypebox<KeyParts> = async (server, { keys }) => {
  ignoreBodies(server);
  server.delete(path, { ...deleteApiKey, onRequest: assertJsonType }, async (request) => {
    const { principal, tenant } = requireCaller(request);
    const { uuid } = request.query;
    await keys.revoke({ tenantId: tenant.id, uuid, by: toActor(principal) });
    return success({ message: 'The API key is deleted.' });
  });
};

async function assertJsonType(request: FastifyRequest): Promise<void> {
  const [type = ''] = (request.headers['content-type'] ?? '').split(';');
  if (type.trim().toLowerCase() === 'application/json') return;
  throw new ForensicsError('forbidden', 'Send this DELETE with Content-Type: application/json.');
}

const listApiKeys = operation(
  { id: 'listApiKeys', summary: 'List the API keys of a tenant, newest first' },
  { querystring: keysQuery, response: { 200: keysAnswer } },
);

// A key may change the settings: only those make one who may do so themselves.
const createApiKey = operation(
  {
    id: 'createApiKey',
    access: 'tenantSettings',
    summary: 'Create an API key, or put a new one in the place of an old one',
    description: `With name a new key; with replaces one of the same name as an old key, which stays good for
graceSeconds at most. A key may replace itself: prove the new one with a request, then delete the old one, or let its grace end.

This answer alone holds the secret. The same request sent again under one Idempotency-Key gets the
same entry with the secret masked: delete that key and create another if the first answer was lost.`,
    failures: ['not_found'],
  },
  { headers: repeatable, body: newKeyBody, response: { 200: newKeyAnswer } },
);

const deleteApiKey = operation(
  {
    id: 'deleteApiKey',
    summary: 'Delete an API key, at once and for good',
    description: `A key may delete itself. Send Content-Type: application/json, without which the request is refused:
no page of another site can send it unasked.`,
    failures: ['not_found'],
  },
  { querystring: keyQuery, response: { 200: told } },
);
