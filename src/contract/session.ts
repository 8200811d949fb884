/** Browser sessions: the refresh token is kept in a cookie that scripts cannot read. */

import { Type } from 'typebox';
import { loginBody, loginElsewhere } from './auth.ts';
import { responseWith, oneOf, orNull, type Wire } from './common.ts';
import { formats } from './formats.ts';
import { intakes, maxNameLength } from './limits.ts';

/** Login with an embedded account, or with what an identity provider sent back through the browser. */
export const sessionBody = Type.Union([
  loginBody,
  Type.Object({
    code: Type.String({ minLength: 1, maxLength: 8192 }),
    codeVerifier: Type.String({ minLength: 43, maxLength: 128 }),
    redirectUri: Type.String({ minLength: 1, maxLength: 2048 }),
  }),
]);

export const firstUserBody = Type.Object({
  token: Type.String({ minLength: 1, maxLength: 128, description: 'From the one-time link.' }),
  email: Type.String({ minLength: 1, maxLength: 320 }),
  password: Type.String({ minLength: 1, maxLength: 1024 }),
  name: Type.Optional(Type.String({ minLength: 1, maxLength: maxNameLength })),
});

export const endSessionBody = Type.Object({
  idToken: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 16_384,
      description: 'If sent, sessions on all devices end.',
    }),
  ),
});

export type PictureLimits = Wire<typeof limits>;
const limits = Type.Object({
  minSidePx: Type.Integer(),
  maxSidePx: Type.Integer(),
  maxPixels: Type.Integer({ description: 'Width times height.' }),
  maxBytes: Type.Integer(),
  formats: Type.Array(oneOf(formats)),
});

export type SessionState = Wire<typeof sessionState>;
const sessionState = Type.Object({
  identity: oneOf(['embedded', 'oidc']),
  needsFirstUser: Type.Boolean({ description: 'True until there is an account.' }),
  hasSession: Type.Boolean({ description: 'Whether the request carried a session cookie.' }),
  login: orNull(loginElsewhere),
  intake: oneOf(intakes),
  limits,
});
export const sessionStateResponse = responseWith(Type.Unsafe<SessionState>(sessionState));

export type BrowserTokens = Wire<typeof browserTokens>;
const browserTokens = Type.Object({
  accessToken: Type.String(),
  idToken: Type.String({ description: 'Empty if the identity provider issued none.' }),
  expiresIn: Type.Integer({ minimum: 0, description: 'Lifetime of the access token in seconds.' }),
});
export const browserTokensResponse = responseWith(Type.Unsafe<BrowserTokens>(browserTokens));
