/**
 * `/v1/auth/session`: browser sessions. The refresh token is in a cookie that no script can read and only these routes
 * use; the access token is in the page's memory.
 *
 * Cross-site requests: the cookie is SameSite=Strict, but another port of this host is the same site. Every request
 * that changes something must therefore also carry `Sec-Fetch-Site: same-origin`, a header that browsers set and pages
 * cannot.
 */

import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { Intake } from '../../contract/limits.ts';
import type { Administration, App } from '../../service/app.ts';
import type { Core } from '../../service/core.ts';
import * as contract from '../../contract/auth.ts';
import { oneOf, succeeded } from '../../contract/common.ts';
import { hasCode, ForensicsError, forbidden } from '../../errors.ts';
import { success } from '../responses.ts';
import { type Operation, operation } from '../openapi.ts';

const path = '/v1/auth/session';
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
  server.get(path, readSessionState, async (request) => {
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

  server.post(path, openSession, async ({ body, ip }, reply) => {
    if ('code' in body) return answerTokens(reply, await identity.exchange(body));
    const tokens = await identity.login({ ...body, from: ip });
    if ('accessToken' in tokens) return answerTokens(reply, tokens);
    throw new ForensicsError('not_offered', `Log in at ${tokens.issuer}.`);
  });

  server.post(`${path}/refresh`, refreshSession, async (request, reply) => {
    const refreshToken = readCookie(request);
    if (refreshToken === null) throw noSession();
    try {
      return answerTokens(reply, await identity.refresh(refreshToken));
    } catch (error) {
      if (hasCode(error, 'unauthenticated')) clearCookie(reply);
      throw error;
    }
  });

  server.post(`${path}/end`, endSession, async (request, reply) => {
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

  server.post(`${path}/first-user`, createFirstUser, async (request) => {
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

function forPages<const O extends Omit<Operation, 'access' | 'headers'>>(id: string, declared: O) {
  const description = "Only for this server's own pages; others get 403.";
  const common = { access: 'everyone', description, headers: fromBrowsers } as const;
  return { ...operation(id, { ...declared, ...common }), onRequest: assertSameOrigin };
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
