/** `/v1/auth/...`: user sessions, also of browsers, and the API keys of a tenant. The identity decides what a session is. */

import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { type Static, Type } from 'typebox';
import { type Identity, toActor, readTag } from '../../service/access/principal.ts';
import type { Core } from '../../service/core.ts';
import * as contract from '../../contract/auth.ts';
import { messageResponse, ofTenant, oneOf, succeeded } from '../../contract/common.ts';
import type { Intake } from '../../contract/limits.ts';
import type { Administration, App } from '../../service/app.ts';
import { success } from '../responses.ts';
import { requireCaller, requirePrincipal } from '../authenticate.ts';
import { ignoreBodies } from '../bodies.ts';
import { type Operation, operation, operations, repeatable } from '../openapi.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Keys, NewKey } from '../../service/access/keys.ts';
import { keyQuery, keysResponse, newKeyResponse, newKeyBody } from '../../contract/keys.ts';
import {
  ForensicsError,
  forbidden,
  hasCode,
  invalidRequest,
  notOffered,
} from '../../contract/errors.ts';

type AuthParts = Pick<Core, 'identity'>;

export const authRoutes: FastifyPluginAsyncTypebox<AuthParts> = async (server, { identity }) => {
  server.post('/v1/auth/login', loginTo(identity), async (request) => {
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

const loginTo = (identity: Pick<Identity, 'kind'>) =>
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

// API keys: everyone who may act for the tenant lists them; those who may change its settings create them.

type KeyParts = Pick<Core, 'keys'>;

const keyPath = '/v1/auth/api';

export const keyRoutes: FastifyPluginAsyncTypebox<KeyParts> = async (server, { keys }) => {
  server.get(keyPath, declared.listApiKeys, async (request) =>
    success(await keys.list(requireCaller(request).tenant.id)),
  );

  server.post(keyPath, declared.createApiKey, async (request) => {
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
  server.delete(keyPath, deleteApiKey, async (request) => {
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

// `/v1/auth/session`: browser sessions. The refresh token is in a cookie that no script can read and only these routes
// use; the access token is in the page's memory.
//
// Cross-site requests: the cookie is SameSite=Strict, but another port of this host is the same site. Every request
// that changes something must therefore also carry `Sec-Fetch-Site: same-origin`, a header that browsers set and pages
// cannot.

const sessionPath = '/v1/auth/session';
const cookieName = '__Host-forensics-session';
/** The cookie lasts as long as an unused refresh token is valid. */
const cookieLifeSeconds = 14 * 86_400;
const fromBrowsers = Type.Object({
  'sec-fetch-site': Type.Unsafe<'same-origin'>({
    ...oneOf(['same-origin']),
    description: 'Set by browsers.',
  }),
});

export const sessionRoutes: FastifyPluginAsyncTypebox<
  Pick<App, 'analyses'> &
    Pick<Core, 'identity'> &
    Pick<Administration, 'firstUser'> & { readonly intake: Intake }
> = async (server, { identity, firstUser, analyses: { limits }, intake }) => {
  server.get(sessionPath, readSessionState, async (request) => {
    const { kind } = identity;
    const login =
      kind === 'oidc' ? await identity.login({ email: '', password: '', from: request.ip }) : null;
    return success({
      identity: kind,
      needsFirstUser: await firstUser.isNeeded(),
      hasSession: readCookie(request) !== null,
      login: login !== null && 'issuer' in login ? login : null,
      intake,
      limits,
    });
  });

  server.post(sessionPath, openSession, async ({ body, ip }, reply) => {
    if ('code' in body) return answerTokens(reply, await identity.exchange(body));
    const tokens = await identity.login({ ...body, from: ip });
    if ('accessToken' in tokens) return answerTokens(reply, tokens);
    throw notOffered(`Log in at ${tokens.issuer}.`);
  });

  server.post(`${sessionPath}/refresh`, refreshSession, async (request, reply) => {
    const refreshToken = readCookie(request);
    if (refreshToken === null) throw noSession();
    try {
      return answerTokens(reply, await identity.refresh(refreshToken));
    } catch (error) {
      if (hasCode(error, 'unauthenticated')) clearCookie(reply);
      throw error;
    }
  });

  server.post(`${sessionPath}/end`, endSession, async (request, reply) => {
    const refreshToken = readCookie(request);
    const { idToken } = request.body;
    if (idToken === undefined) {
      clearCookie(reply);
      if (refreshToken !== null) await identity.end(refreshToken);
      return success();
    }
    if (refreshToken === null) throw noSession();
    // The cookie stays until all sessions have ended, so that a failed request can be sent again.
    await identity.revoke({ idToken, refreshToken });
    clearCookie(reply);
    return success();
  });

  server.post(`${sessionPath}/first-user`, createFirstUser, async (request) => {
    await firstUser.create(request.body);
    return success();
  });
};

async function assertSameOrigin({ headers }: FastifyRequest): Promise<void> {
  if (headers['sec-fetch-site'] === 'same-origin') return;
  throw forbidden(
    "This address is only for this server's own pages; programs log in with POST /v1/auth/login.",
  );
}

function noSession(): ForensicsError {
  return new ForensicsError('unauthenticated', 'There is no session; log in first.');
}

function readCookie({ headers }: FastifyRequest): string | null {
  const parts = (headers.cookie ?? '').split(';').map((part) => part.trim());
  const mine = parts.find((part) => part.startsWith(`${cookieName}=`));
  const value = mine?.slice(cookieName.length + 1) ?? '';
  try {
    return value === '' ? null : decodeURIComponent(value);
  } catch {
    // This server did not set that value.
    return null;
  }
}

// The `__Host-` prefix binds the cookie to this host only; browsers then require Path=/.
const rules = 'Path=/; HttpOnly; Secure; SameSite=Strict';

function clearCookie(reply: FastifyReply): void {
  void reply.header('set-cookie', `${cookieName}=; Max-Age=0; ${rules}`);
}

function answerTokens(reply: FastifyReply, tokens: contract.TokenSet) {
  const { accessToken, idToken, expiresIn, refreshToken } = tokens;
  const value = encodeURIComponent(refreshToken);
  void reply.header('set-cookie', `${cookieName}=${value}; Max-Age=${cookieLifeSeconds}; ${rules}`);
  return success({ accessToken, idToken, expiresIn });
}

const readSessionState = operation('readSessionState', {
  access: 'everyone',
  summary: 'How to log in here, whether an account exists yet, and which pictures are accepted',
  answer: contract.sessionStateResponse,
});

function forPages<const O extends Omit<Operation, 'access' | 'headers'>>(id: string, own: O) {
  const description = "Only for this server's own pages; others get 403.";
  const common = { access: 'everyone', description, headers: fromBrowsers } as const;
  return { ...operation(id, { ...own, ...common }), onRequest: assertSameOrigin };
}

const openSession = forPages('openSession', {
  summary: 'Log in from a browser; the refresh token is set as a cookie',
  body: contract.sessionBody,
  answer: contract.browserTokensResponse,
});

const refreshSession = forPages('refreshSession', {
  summary: "Exchange a browser's cookie for new tokens",
  body: contract.endSessionBody,
  answer: contract.browserTokensResponse,
});

const endSession = forPages('endSession', {
  summary: 'Log out of a browser or, with its id token, of all devices',
  body: contract.endSessionBody,
  answer: succeeded,
});

const createFirstUser = forPages('createFirstUser', {
  summary: 'Create the first account with the one-time link printed by the server',
  body: contract.firstUserBody,
  answer: succeeded,
});
