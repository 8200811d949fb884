/** Reads what we need to know of a person from a token's claims, under the names that the settings give. */

import type { JWTPayload } from 'jose';
import { characterCount } from '../../db/text.ts';

/** A name means a claim of that very name, or else the way through nested claims: `realm_access.roles`. */
export interface ClaimNames {
  readonly scopes: string;
  readonly userType: string;
  readonly tenants: string;
}

/** Null where a token does not tell. */
export interface Described {
  readonly email: string | null;
  readonly name: string | null;
  readonly userType: string | null;
  readonly scopes: readonly string[];
  /** Names or ids, as the provider knows them. */
  readonly tenants: readonly string[];
}

const longestName = 255;
const longestEmail = 254;

export function describePerson(claims: JWTPayload, names: ClaimNames): Described {
  return {
    email: textOf(claims['email'], longestEmail),
    name: textOf(claims['name'], longestName),
    userType: textOf(claimOf(claims, names.userType), longestName),
    scopes: wordsOf(claimOf(claims, names.scopes)),
    tenants: wordsOf(claimOf(claims, names.tenants)),
  };
}

/** People choose their names at the provider: what could not stand in a line here is taken for not told. */
function textOf(value: unknown, longest: number): string | null {
  if (typeof value !== 'string') return null;
  const text = value.trim();
  return text === '' || characterCount(text) > longest || /\p{Cc}/u.test(text) ? null : text;
}

/** A list of words, or one text with spaces between them. */
function wordsOf(value: unknown): string[] {
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  const words = list.flatMap((entry) => (typeof entry === 'string' ? entry.split(/\s+/) : []));
  return [...new Set(words.filter((word) => word !== ''))];
}

function claimOf(claims: JWTPayload, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name];
  return name.split('.').reduce<unknown>(memberOf, claims);
}

function memberOf(value: unknown, name: string): unknown {
  const members: Record<string, unknown> = Object(value);
  return Object.hasOwn(members, name) ? members[name] : undefined;
}
