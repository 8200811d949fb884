/** How an API key is written: `sk-<tag>-<random><check>`. */

import { randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { KeyEntry } from '../../contract/keys.ts';
import type { KeyEnd } from '../../contract/vocabulary.ts';
import type { apiKeys } from '../../ports/db/schema.ts';

/** What every key begins with, and no token does. */
export const keyPrefix = 'sk-';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
// 62^32 = 2^190.5: above the 160 bits that are promised.
const randomLength = 32;
// 62^6 > 2^32: a CRC-32 fits. It finds typing and cutting errors without asking the database; it is no protection.
const checkLength = 6;
const keyPattern = new RegExp(
  `^sk-([a-z0-9]{1,16})-([0-9A-Za-z]{${randomLength}})([0-9A-Za-z]{${checkLength}})$`,
);

/** A new key for the tenant with this tag. */
export function newSecret(tag: string): string {
  const random = Array.from({ length: randomLength }, () => alphabet[randomInt(62)]).join('');
  return `sk-${tag}-${random}${checksum(tag, random)}`;
}

/** The tag of a well-formed key whose check suffix is right; null for anything else. */
export function readTag(secret: string): string | null {
  const parts = keyPattern.exec(secret);
  if (parts === null) return null;
  const [, tag, random, check] = parts;
  return check === checksum(tag!, random!) ? tag! : null;
}

/** The key as it is shown after its first answer. */
export function masked(tag: string, ending: string): string {
  return `sk-${tag}-${'*'.repeat(8)}${ending}`;
}

function checksum(tag: string, random: string): string {
  let rest = crc32(`sk-${tag}-${random}`);
  let text = '';
  for (let digit = 0; digit < checkLength; digit++) {
    text = alphabet[rest % 62]! + text;
    rest = Math.floor(rest / 62);
  }
  return text;
}

type Shown = Pick<
  typeof apiKeys.$inferSelect,
  'uuid' | 'name' | 'createdAt' | 'expiresAt' | 'lastUsedAt' | 'replacedAt'
>;

interface Showing {
  readonly secret: string;
  readonly at: Date;
}

/** An API key as it is shown: whole in the answer that makes it, masked ever after. */
export function keyEntry(key: Shown, { secret, at }: Showing): KeyEntry {
  return {
    uuid: key.uuid,
    name: key.name,
    createdDate: key.createdAt.toISOString(),
    expiresAt: key.expiresAt.toISOString(),
    lastUsedDate: key.lastUsedAt?.toISOString() ?? null,
    ended: findEnd(key, at),
    secret,
  };
}

function findEnd({ expiresAt, replacedAt }: Shown, at: Date): KeyEnd | null {
  if (expiresAt > at) return null;
  return replacedAt === null ? 'expired' : 'replaced';
}
