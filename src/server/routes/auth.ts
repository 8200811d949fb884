/** `/v1/auth/...`: user sessions, and the API keys of a tenant. The identity decides what a session is. */

import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { type Static, Type } from 'typebox';
import { type Identity, toActor, readTag } from '../../service/access/principal.ts';
import type { Core } from '../../service/core.ts';
import * as contract from '../../contract/auth.ts';
import { messageResponse, ofTenant, succeeded } from '../../contract/common.ts';
import { success } from '../responses.ts';
import { requireCaller, requirePrincipal } from '../authenticate.ts';
import { ignoreBodies } from '../bodies.ts';
import { operation, operations, repeatable } from '../openapi.ts';
import type { FastifyRequest } from 'fastify';
import type { Keys, NewKey } from '../../service/access/keys.ts';
import { keyQuery, keysResponse, newKeyResponse, newKeyBody } from '../../contract/keys.ts';
import { forbidden, invalidRequest } from '../../errors.ts';

type AuthParts = Pick<Core, 'identity'>;

export const authRoutes: FastifyPluginAsyncTypebox<AuthParts> = async (server, { identity }) => {
  server.post('/v1/auth/login', login(identity), async (request) => {
    const { email = '', password = '' } = request.body;
    return success(await identity.login({ email, password, from: request.ip }));
  });

  server.post('/v1/auth/refresh', declared.refreshTokens, async (request) =>
    success(await identity.refresh(request.body.refreshToken)),
  );

  server.post('/v1/auth/verify', declared.verifyToken, async (request) => {
    await identity.verify(request.body.idToken);
    return success({ message: 'The id token is valid.' });
  });

  server.post('/v1/auth/revoke', declared.revokeTokens, async (request) => {
    const { idToken, refreshToken } = request.body;
    await identity.revoke({ idToken, refreshToken });
    return success({ message: 'The sessions on all devices have ended.' });
  });

  server.post('/v1/auth/change-password', declared.changePassword, async (request) => {
    const { currentPassword, newPassword } = request.body;
    await identity.changePassword(requirePrincipal(request), { currentPassword, newPassword });
    return success();
  });

  await server.register(information, { identity });
};

// In a separate scope, because this is the only POST without a body.
const information: FastifyPluginAsyncTypebox<AuthParts> = async (server, { identity }) => {
  ignoreBodies(server);
  server.post('/v1/auth/info', declared.getUserInfo, async (request) =>
    success(await identity.info(requirePrincipal(request))),
  );
};

const login = (identity: Pick<Identity, 'kind'>) =>
  operation('login', {
    access: 'everyone',
    summary: 'Log in with a password, or find out where to log in',
    // With an identity provider, no password belongs here, and a client should not have to send one to find that out.
    body: Type.Unsafe<Partial<Static<typeof contract.loginBody>>>(
      identity.kind === 'oidc' ? Type.Partial(contract.loginBody) : contract.loginBody,
    ),
    answer: contract.loginResponse,
  });

const declared = operations({
  refreshTokens: {
    access: 'everyone',
    summary: 'Exchange a refresh token for new tokens',
    description: 'A refresh token works only once; using it again ends its session.',
    body: contract.refreshBody,
    answer: contract.refreshResponse,
  },
  verifyToken: {
    access: 'everyone',
    summary: 'Check an id token',
    body: contract.verifyBody,
    answer: messageResponse,
  },
  revokeTokens: {
    access: 'everyone',
    summary: 'End the sessions of a user on all devices',
    body: contract.revokeBody,
    answer: messageResponse,
  },
  changePassword: {
    access: 'user',
    summary: 'Change your own password; all your other sessions end',
    body: contract.changePasswordBody,
    answer: succeeded,
  },
  getUserInfo: {
    access: 'user',
    summary: 'Identify the user of the access token',
    answer: contract.infoResponse,
  },
  listApiKeys: {
    summary: 'List the API keys of a tenant, newest first',
    querystring: ofTenant,
    answer: keysResponse,
  },
  // A key may change the settings, so only users who may change them can create a key.
  createApiKey: {
    access: 'tenantSettings',
    summary: 'Create an API key, or replace an old one',
    description: `With name: a new key. With replaces: a key with the same name as an old key, which stays valid for
graceSeconds at most. A key may replace itself: test the new one with a request, then delete the old one or let its grace period end.

Only this response contains the secret. Repeating the request with the same Idempotency-Key returns the
same entry with the secret masked; if the first response was lost, delete that key and create another.`,
    headers: repeatable,
    body: newKeyBody,
    answer: newKeyResponse,
  },
});

// The API keys of a tenant. Everyone who may act for it can list them; creating keys requires the
// right to change its settings.

type KeyParts = Pick<Core, 'keys'>;

const path = '/v1/auth/api';

export const keyRoutes: FastifyPluginAsyncTypebox<KeyParts> = async (server, { keys }) => {
  server.get(path, declared.listApiKeys, async (request) =>
    success(await keys.list(requireCaller(request).tenant.id)),
  );

  server.post(path, declared.createApiKey, async (request) => {
    const { principal, tenant, idempotencyKey = null } = requireCaller(request);
    const { expiresAt, ...keyRequest } = request.body;
    const key = await make(keys, keyRequest, {
      tenantId: tenant.id,
      expiresAt: new Date(expiresAt),
      by: toActor(principal),
      idempotencyKey,
    });
    // A repeated request creates nothing. A key outlives its creator's account, so the log records who created it.
    if (readTag(key.secret) !== null) {
      const { type: callerType, id: caller } = principal;
      request.log.info({ key: key.uuid, callerType, caller, tenantId: tenant.id }, 'key created');
    }
    return success(key);
  });

  await server.register(deletion, { keys });
};

const defaultGraceSeconds = 86_400;

async function make(
  keys: Keys,
  { name, replaces, graceSeconds }: Omit<Static<typeof newKeyBody>, 'expiresAt'>,
  making: Omit<NewKey, 'name'>,
) {
  if (replaces === undefined && name !== undefined && graceSeconds === undefined) {
    return keys.mint({ ...making, name });
  }
  if (replaces === undefined || name !== undefined) {
    throw invalidRequest(
      'Send either name, for a new key, or replaces, with or without graceSeconds; the replacement keeps the name of the old key.',
    );
  }
  const graceMs = 1000 * (graceSeconds ?? defaultGraceSeconds);
  const { key, ...others } = await keys.rotate({ ...making, which: replaces, graceMs });
  return { ...key, ...others };
}

// In a separate scope, because the contract's DELETE has a content type but no body.
const deletion: FastifyPluginAsyncTypebox<KeyParts> = async (server, { keys }) => {
  ignoreBodies(server);
  server.delete(path, deleteApiKey, async (request) => {
    const { principal, tenant } = requireCaller(request);
    const { uuid } = request.query;
    await keys.revoke({ tenantId: tenant.id, uuid, by: toActor(principal) });
    return success({ message: 'The API key is deleted.' });
  });
};

const deleteApiKey = {
  ...operation('deleteApiKey', {
    summary: 'Delete an API key immediately and permanently',
    description: `A key may delete itself. Send Content-Type: application/json; without it the request is rejected, so
that a page of another site cannot send it.`,
    querystring: keyQuery,
    answer: messageResponse,
  }),
  async onRequest({ headers }: FastifyRequest) {
    const [type = ''] = (headers['content-type'] ?? '').split(';');
    if (type.trim().toLowerCase() === 'application/json') return;
    throw forbidden('Send this DELETE with Content-Type: application/json.');
  },
};
