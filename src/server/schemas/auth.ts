/** Sessions of users as JSON Schema. */

import { Type } from 'typebox';
import type { UserInfo } from '../../access/identity.ts';
import { orNull, succeeded } from './words.ts';
import { userSettings } from './user.ts';

const token = Type.String({ minLength: 1, maxLength: 16_384 });
const password = Type.String({ minLength: 1, maxLength: 1024 });

export const loginBody = Type.Object({
  email: Type.String({ minLength: 1, maxLength: 320 }),
  password,
});
export const refreshBody = Type.Object({ refreshToken: token });
export const verifyBody = Type.Object({ idToken: token });
export const revokeBody = Type.Object({ idToken: token, refreshToken: token });
export const changePasswordBody = Type.Object({ currentPassword: password, newPassword: password });

const tokenSet = Type.Object({
  accessToken: Type.String(),
  idToken: Type.String(),
  refreshToken: Type.String(),
  tokenType: Type.Literal('Bearer'),
  expiresIn: Type.Integer({ minimum: 0, description: 'Seconds that the access token lives.' }),
});

const loginElsewhere = Type.Object(
  {
    issuer: Type.String(),
    clientId: Type.String(),
    authorizationEndpoint: Type.String(),
    tokenEndpoint: Type.String(),
    deviceAuthorizationEndpoint: orNull(Type.String()),
  },
  { description: 'Where to log in when an identity provider knows the users.' },
);

export const loginAnswer = Type.Object({
  ...succeeded.properties,
  data: Type.Union([tokenSet, loginElsewhere]),
});
export const refreshAnswer = Type.Object({ ...succeeded.properties, data: tokenSet });

const person = Type.Object({
  id: Type.String(),
  email: Type.String(),
  name: orNull(Type.String()),
  userType: Type.String(),
  scopes: Type.Array(Type.String()),
  tenants: Type.Array(Type.String(), { description: 'Names of the tenants to act for.' }),
  settings: userSettings,
});
export const infoAnswer = Type.Object({
  ...succeeded.properties,
  data: Type.Unsafe<UserInfo>(person),
});
