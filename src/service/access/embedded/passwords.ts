/**
 * Password rules and hashing: scrypt with N = 2^17, r = 8, p = 1, the first choice for scrypt in OWASP's Password
 * Storage Cheat Sheet (128 MiB, about 0.4 s). Each hash records its own cost, so that old hashes stay readable if it is
 * ever raised.
 */

import { randomBytes, randomInt, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import pLimit from 'p-limit';
import { characterCount } from '../../../ports/db/database.ts';
import { type ForensicsError, invalidRequest } from '../../../contract/errors.ts';
import type { users } from '../../../ports/db/schema.ts';
import { createSeats } from './throttle.ts';

export type Passwords = ReturnType<typeof createPasswords>;

interface Cost {
  /** Binary logarithm of scrypt's N. */
  readonly ln: number;
  readonly r: number;
  readonly p: number;
}

const derive = promisify<string, Buffer, number, object, Buffer>(scrypt);
const keyBytes = 32;
const saltBytes = 16;
// Each hash takes 128 MiB while it is computed.
const atOnce = 2;
const maxInside = 64;

/** @param ln - tests pass a lower cost. */
export function createPasswords({ ln = 17 }: { readonly ln?: number } = {}) {
  const cost: Cost = { ln, r: 8, p: 1 };
  const dummy = written(cost, Buffer.alloc(saltBytes), Buffer.alloc(keyBytes));
  const inTurn = pLimit(atOnce);
  const inRoom = createSeats(
    maxInside,
    'Too many people are logging in at the moment; try again shortly.',
  );

  return {
    /** @throws {ForensicsError} `invalid_request`: not 12 to 256 characters, common, the person's name, or the same. */
    assertUsable,
    /**
     * `$scrypt$ln=17,r=8,p=1$<salt>$<key>`, with salt and key in base64.
     *
     * @param like - a hash whose salt is reused, so that `matching` checks both hashes in the time of one.
     */
    async hash(password: string, like: string | null = null) {
      const salt = like === null ? randomBytes(saltBytes) : parse(like).salt;
      return written(cost, salt, await inTurn(() => deriveKey(password, salt, cost)));
    },
    /** Returns the hashes that match the password. Without any hashes, it does as much work as for one. */
    async matching(password: string, hashes: readonly string[]): Promise<readonly string[]> {
      const derived = new Map<string, Buffer>();
      const found: string[] = [];
      for (const hash of hashes.length === 0 ? [dummy] : hashes) {
        const { key, salt, ...kept } = parse(hash);
        const head = hash.slice(0, hash.lastIndexOf('$'));
        const own = derived.get(head) ?? (await inTurn(() => deriveKey(password, salt, kept)));
        derived.set(head, own);
        if (timingSafeEqual(own, key)) found.push(hash);
      }
      return found;
    },
    /**
     * Runs `act`, which will hash a password. The capacity for it is reserved from the start, even while it waits for
     * something else.
     *
     * @throws {ForensicsError} `rate_limited` if so many are in progress that another would wait for half a minute.
     */
    withRoom: <T>(act: () => Promise<T>) => inRoom('', act),
  };
}

// No two of these look alike, whatever script or font they are read in.
const typedAlphabet = 'abcdefghjkmnpqrstuvwxyz23456789';

/** A password to hand to someone: five groups of four characters, 99 random bits. */
export function generatePassword(): string {
  const characters = Array.from({ length: 20 }, () => typedAlphabet[randomInt(31)]).join('');
  return characters.replaceAll(/.{4}(?!$)/g, '$&-');
}

// Compatibility normalisation, so that a password stays the same when typed on a different keyboard.
const normalised = (password: string) => password.normalize('NFKC');

async function deriveKey(password: string, salt: Buffer, { ln, r, p }: Cost): Promise<Buffer> {
  const N = 2 ** ln;
  // scrypt needs slightly more than 128 * N * r bytes; Node's default limit is 32 MiB.
  return derive(normalised(password), salt, keyBytes, { N, r, p, maxmem: 256 * N * r * p });
}

function written({ ln, r, p }: Cost, salt: Buffer, key: Buffer): string {
  return `$scrypt$ln=${ln},r=${r},p=${p}$${salt.toString('base64')}$${key.toString('base64')}`;
}

const pattern = /^\$scrypt\$ln=(\d+),r=(\d+),p=(\d+)\$([A-Za-z0-9+/=]+)\$([A-Za-z0-9+/=]+)$/;

function parse(hash: string) {
  const [, ln, r, p, salt = '', key = ''] = pattern.exec(hash) ?? [];
  const bytes = Buffer.from(key, 'base64');
  if (bytes.length !== keyBytes) throw new TypeError('This is not a password hash.');
  const cost = { ln: Number(ln), r: Number(r), p: Number(p) };
  return { ...cost, salt: Buffer.from(salt, 'base64'), key: bytes };
}

const minCharacters = 12;
const maxCharacters = 256;
const minDifferent = 5;

type Person = Pick<typeof users.$inferSelect, 'email' | 'name'> & { currentPassword?: string };

/** @param person.currentPassword - the password that the person gave as the current one. */
function assertUsable(password: string, { email, name, currentPassword }: Person): void {
  if (currentPassword !== undefined && normalised(password) === normalised(currentPassword)) {
    throw unusable('differs from the one it replaces');
  }
  const plain = normalised(password).toLowerCase();
  const length = characterCount(plain);
  if (length < minCharacters || length > maxCharacters) {
    throw unusable(`has ${minCharacters} to ${maxCharacters} characters`);
  }
  const own = [email, email.split('@')[0], name].map((text) => text?.normalize('NFKC'));
  if (own.some((text) => text?.toLowerCase() === plain)) {
    throw unusable('is not your address or your name');
  }
  if (new Set(plain).size < minDifferent || commonest.has(plain.replaceAll(/[^a-z0-9]/g, ''))) {
    throw unusable('is not among the most common ones; three or four random words will do');
  }
}

function unusable(rule: string): ForensicsError {
  return invalidRequest(`Choose another password: a good one ${rule}.`);
}

// Patterns that recur in lists of leaked passwords, in lengths that our own rule allows.
const commonest: ReadonlySet<string> = new Set(
  `
  123456789012 1234567890123 12345678901234 123456789012345 1234567890123456 012345678901
  123456123456 123123123123 1q2w3e4r5t6y 1qaz2wsx3edc 098765432109 1q2w3e4r5t6y7u8i
  qwertyuiop12 qwertyuiop123 qwertyuiopasdf qwertyuiop1234567890 qwertyqwerty qwerty123456
  qwerty1234567890 asdfghjkl123 zaq12wsxcde3 abcdefghijkl abcdefghijklm abcdefghijklmnop
  abcdef123456 abc123abc123 abcd12345678 password1234 password12345 password123456
  password123456789 passwordpassword passwort1234 passwort12345 passwort123456
  passwortpasswort passw0rd1234 p4ssw0rd1234 mypassword123 newpassword1 newpassword123
  changeme1234 changemenow1 changemeplease administrator administrator1 administrator123
  admin1234567 adminadmin12 adminadminadmin welcome12345 welcome123456 welcomewelcome
  letmein12345 letmeinletmein iloveyou1234 iloveyouiloveyou geheim123456 geheimgeheim
  correcthorsebatterystaple trustno1trustno1
  `
    .trim()
    .split(/\s+/),
);
