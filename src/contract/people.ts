/** Users of a tenant, for those who may change its settings. */

import { Type } from 'typebox';
import { responseWith, dateTime, ofOne, orNull, tenantName, type Wire } from './common.ts';
import { maxNameLength } from './limits.ts';

const password = Type.String({ minLength: 1, maxLength: 1024 });
const name = Type.String({ minLength: 1, maxLength: maxNameLength });
const scopes = Type.Array(Type.String({ minLength: 1, maxLength: 64 }), {
  maxItems: 100,
  description: 'Only scopes that the caller has; "settings" lets a user change settings.',
});

export const newPersonBody = Type.Object(
  {
    tenantName,
    email: Type.String({ minLength: 1, maxLength: 320 }),
    password,
    name: Type.Optional(orNull(name)),
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
  name: Type.Optional(orNull(name)),
  scopes: Type.Optional(scopes),
});
export const personPasswordBody = Type.Object({ ...ofOne.properties, newPassword: password });

export type TenantPerson = Wire<typeof person>;
const person = Type.Object({
  id: Type.String(),
  email: Type.String(),
  name: orNull(Type.String()),
  userType: Type.String(),
  scopes: Type.Array(Type.String()),
  isDisabled: Type.Boolean(),
  isManageable: Type.Boolean({
    description:
      "False for the caller's own account, and for one with tenants or scopes that the caller lacks.",
  }),
  createdDate: dateTime,
  lastLoginDate: orNull(dateTime),
});

export const personResponse = responseWith(person);
export const peopleResponse = responseWith(Type.Array(person));
