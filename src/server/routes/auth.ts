/** `/v1/auth/...`: sessions of users. What a session is, the identity knows. */

import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { type Static, Type } from 'typebox';
import type { Identity } from '../../service/access/principal.ts';
import type { Core } from '../../service/core.ts';
import {
  changePasswordBody,
  infoAnswer,
  loginAnswer,
  loginBody,
  refreshAnswer,
  refreshBody,
  revokeBody,
  verifyBody,
} from '../../contract/auth.ts';
import { succeeded, told } from '../../contract/common.ts';
import { success } from '../answers.ts';
import { requirePrincipal } from '../authenticate.ts';
import { ignoreBodies } from '../bodies.ts';
import { operation } from '../openapi-answers.ts';

type AuthParts = Pick<Core, 'identity'>;

const ofTokens = ['unauthenticated', 'identity_unavailable'] as const;

export const authRoutes: FastifyPluginAsyncTypebox<AuthParts> = async (server, { identity }) => {
  server.post('/v1/auth/login', login(identity), async (request) => {
    const { email = '', password = '' } = request.body;
    return success(await identity.login({ email, password, from: request.ip }));
  });

  server.post('/v1/auth/refresh', refreshTokens, async (request) =>
    success(await identity.refresh(request.body.refreshToken)),
  );

  server.post('/v1/auth/verify', verifyToken, async (request) => {
    await identity.verify(request.body.idToken);
    return success({ message: 'The id token is valid.' });
  });

  server.post('/v1/auth/revoke', revokeTokens, async (request) => {
    const { idToken, refreshToken } = request.body;
    await identity.revoke({ idToken, refreshToken });
    return success({ message: 'The sessions on all devices are ended.' });
  });

  server.post('/v1/auth/change-password', changePassword, async (request) => {
    const { currentPassword, newPassword } = request.body;
    await identity.changePassword(requirePrincipal(request), { currentPassword, newPassword });
    return success();
  });

  await server.register(information, { identity });
};

/** With an identity provider no password belongs here, and a client should not have to send one to learn that. */
function chooseLoginBody({ kind }: Pick<Identity, 'kind'>) {
  const body = kind === 'oidc' ? Type.Partial(loginBody) : loginBody;
  return Type.Unsafe<Partial<Static<typeof loginBody>>>(body);
}

// In a scope of its own: the one POST without a body.
const information: FastifyPluginAsyncTypebox<AuthParts> = async (server, { identity }) => {
  ignoreBodies(server);
  server.post('/v1/auth/info', getUserInfo, async (request) =>
    success(await identity.info(requirePrincipal(request))),
  );
};

const login = (identity: Pick<Identity, 'kind'>) =>
  operation(
    {
      id: 'login',
      access: 'everyone',
      summary: 'Log in with a password, or learn where to log in',
      failures: ofTokens,
    },
    { body: chooseLoginBody(identity), response: { 200: loginAnswer } },
  );

const refreshTokens = operation(
  {
    id: 'refreshTokens',
    access: 'everyone',
    summary: 'Exchange a refresh token for new tokens',
    description: 'A refresh token is good once; one that comes again ends its session.',
    failures: ofTokens,
  },
  { body: refreshBody, response: { 200: refreshAnswer } },
);

const verifyToken = operation(
  { id: 'verifyToken', access: 'everyone', summary: 'Check an id token', failures: ofTokens },
  { body: verifyBody, response: { 200: told } },
);

const revokeTokens = operation(
  {
    id: 'revokeTokens',
    access: 'everyone',
    summary: 'End the sessions of a user on all devices',
    failures: ofTokens,
  },
  { body: revokeBody, response: { 200: told } },
);

const changePassword = operation(
  {
    id: 'changePassword',
    access: 'user',
    summary: 'Change the own password; every other session ends',
    failures: ['not_offered'],
  },
  { body: changePasswordBody, response: { 200: succeeded } },
);

const getUserInfo = operation(
  { id: 'getUserInfo', access: 'user', summary: 'Who the access token stands for' },
  { response: { 200: infoAnswer } },
);
