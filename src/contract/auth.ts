/** Logins, browser sessions, users' own preferences, the users of a tenant, and their feedback. */

import { Type } from 'typebox';
import {
  dateTime,
  described,
  list,
  object,
  ofOne,
  oneOf,
  orNull,
  responseWith,
  tenantName,
  visibleText,
  type Wire,
} from './common.ts';
import { formats, langPattern } from './vocabulary.ts';
import { intakes, maxNameLength, maxTokenLength } from './limits.ts';

const token = Type.String({ minLength: 1, maxLength: maxTokenLength });
const personName = visibleText();
const password = Type.String({ minLength: 1, maxLength: 1024 });

export const loginBody = Type.Object({
  email: Type.String({ minLength: 1, maxLength: 320 }),
  password,
});
export const refreshBody = Type.Object({ refreshToken: token });
export const verifyBody = Type.Object({ idToken: token });
export const revokeBody = Type.Object({ idToken: token, refreshToken: token });
export const changePasswordBody = Type.Object({ currentPassword: password, newPassword: password });

export type TokenSet = Wire<typeof tokenSet>;
const tokenSet = Type.Object({
  accessToken: Type.String(),
  idToken: described(
    'Empty after a refresh if the identity provider issues none; the one from the login stays valid.',
  ),
  refreshToken: Type.String(),
  tokenType: Type.Literal('Bearer'),
  expiresIn: Type.Integer({ minimum: 0, description: 'Lifetime of the access token in seconds.' }),
});

/** Where a user logs in if the accounts are not on this server. */
export type LoginElsewhere = Wire<typeof loginElsewhere>;
const loginElsewhere = object('Where to log in if an identity provider manages the users.', {
  issuer: Type.String(),
  clientId: Type.String(),
  authorizationEndpoint: Type.String(),
  tokenEndpoint: Type.String(),
  deviceAuthorizationEndpoint: orNull(Type.String()),
});

export const loginResponse = responseWith(Type.Union([tokenSet, loginElsewhere]));
export const refreshResponse = responseWith(tokenSet);

export type UserSettings = Wire<typeof userSettings>;
const userSettings = Type.Object({
  lang: Type.String({
    pattern: langPattern,
    // Completes "must be" in error messages.
    description: 'a language code such as "de", with an optional region such as "de-AT"',
  }),
  tosAccepted: Type.Boolean({ description: 'Terms of service accepted.' }),
});

export type UserInfo = Wire<typeof person>;
const person = Type.Object({
  id: Type.String(),
  email: Type.String(),
  name: orNull(Type.String()),
  userType: Type.String(),
  scopes: Type.Array(Type.String()),
  tenants: list('Names of the tenants to act for.', Type.String()),
  settings: userSettings,
});
export const infoResponse = responseWith(person);

export const settingsBody = Type.Partial(userSettings);
export const settingsResponse = responseWith(userSettings);

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
  ...loginBody.properties,
  name: Type.Optional(personName),
});

export const endSessionBody = Type.Object({
  idToken: Type.Optional({ ...token, description: 'If sent, sessions on all devices end.' }),
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
export const sessionStateResponse = responseWith(sessionState);

export type BrowserTokens = Wire<typeof browserTokens>;
const browserTokens = Type.Pick(tokenSet, ['accessToken', 'idToken', 'expiresIn']);
export const browserTokensResponse = responseWith(browserTokens);

// Users of a tenant, for those who may change its settings.

const scopes = Type.Array(Type.String({ minLength: 1, maxLength: 64 }), {
  maxItems: 100,
  description: 'Only scopes that the caller has; "settings" lets a user change settings.',
});

export const newPersonBody = Type.Object(
  {
    tenantName,
    ...loginBody.properties,
    name: Type.Optional(orNull(personName)),
    scopes: Type.Optional(scopes),
  },
  {
    examples: [
      {
        tenantName: 'default',
        email: 'examiner@example.org',
        password: 'violet harbour 42 lanterns',
        scopes: [],
      },
    ],
  },
);
export const changePersonBody = Type.Object({
  ...ofOne.properties,
  name: Type.Optional(orNull(personName)),
  scopes: Type.Optional(scopes),
});
export const personPasswordBody = Type.Object({ ...ofOne.properties, newPassword: password });

export type TenantPerson = Wire<typeof tenantPerson>;
const tenantPerson = Type.Object({
  ...Type.Omit(person, ['tenants', 'settings']).properties,
  isDisabled: Type.Boolean(),
  isManageable: Type.Boolean({
    description:
      "False for the caller's own account, and for one with tenants or scopes that the caller lacks.",
  }),
  createdDate: dateTime,
  lastLoginDate: orNull(dateTime),
});

export const personResponse = responseWith(tenantPerson);
export const peopleResponse = responseWith(Type.Array(tenantPerson));

// The body of `POST /v1/feedback`.

const sources = [
  'frontend-support-request',
  'frontend-analysis-feedback',
  'frontend-post-logout-feedback',
] as const;
export const defaultSource = sources[0];

const text = (maxLength: number, description: string) => Type.String({ maxLength, description });

export const feedbackBody = Type.Object({
  url: text(2048, 'The page that the feedback came from.'),
  name: text(maxNameLength, 'Who sends it.'),
  tenantName,
  email: text(320, 'Where to send a reply.'),
  /** A longer message belongs in an attachment. */
  message: visibleText(10_000),
  replaySessionId: Type.Optional(text(255, 'From a session-replay tool.')),
  source: Type.Optional({ ...oneOf(sources), default: defaultSource }),
  sourceAttributes: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), {
      description: 'Details of the source, such as the id of an analysis.',
    }),
  ),
});

/** What a user sent; the tenant is known from the request. */
export type FeedbackMessage = Omit<Wire<typeof feedbackBody>, 'tenantName' | 'source'> & {
  readonly source: string;
};
