/**
 * Slows the guessing of passwords down: for each account by growing pauses that survive a restart, for each network
 * address by a window in memory. Every attempt is counted as failed before its password is looked at and forgiven
 * when it was right, so that a hundred attempts at once get no more guesses than a hundred in a row.
 */

import { createHmac } from 'node:crypto';
import { isIPv6 } from 'node:net';
import { eq, lt } from 'drizzle-orm';
import { type Db, type Tx, transact } from '../db/open.ts';
import { loginAttempts } from '../db/schema.ts';
import { ForensicsError } from '../errors.ts';

export interface LoginAttempts {
  /**
   * @param email - normalised; counted alike with and without an account.
   * @throws {ForensicsError} `rate_limited` while it is locked. That attempt is not counted: asking does not prolong.
   */
  countAccount(email: string): void;
  /** The password was right, or an administrator set a new one. */
  forgiveAccount(tx: Tx, email: string): void;
  /**
   * @returns how to take the attempt back.
   * @throws {ForensicsError} `rate_limited` after 30 failures within 15 minutes.
   */
  countPlace(from: string): () => void;
}

const minuteMs = 60_000;
const freeFailures = 4;
/** After the fifth failure, the sixth and so on; the last one stands for all that follow. */
const pausesMs = [0.5, 1, 5, 15, 60].map((minutes) => minutes * minuteMs);
const forgottenAfterMs = 24 * 60 * minuteMs;

const windowMs = 15 * minuteMs;
const maxInWindow = 30;
// A hundred bytes each. Who owns more addresses than this is not stopped by counting them.
const maxPlaces = 10_000;

interface Failure {
  readonly at: number;
}

export function createLoginAttempts({
  db,
  key,
  now,
}: {
  readonly db: Db;
  /** 32 bytes. */
  readonly key: Uint8Array;
  readonly now: () => Date;
}): LoginAttempts {
  const digestOf = (email: string) => createHmac('sha256', key).update(email).digest();
  const places = new Map<string, readonly Failure[]>();

  return {
    countAccount(email) {
      const address = digestOf(email);
      transact(db, (tx) => {
        const at = now();
        const row = tx.select().from(loginAttempts).where(eq(loginAttempts.address, address)).get();
        refuseWhileLocked(row?.lockedUntil ?? null, at);
        const isOld = row === undefined || at.getTime() - row.lastAt.getTime() > forgottenAfterMs;
        const failures = (isOld ? 0 : row.failures) + 1;
        const set = { failures, lastAt: at, lockedUntil: lockedUntil(failures, at) };
        tx.insert(loginAttempts)
          .values({ address, ...set })
          .onConflictDoUpdate({ target: loginAttempts.address, set })
          .run();
      });
    },
    forgiveAccount(tx, email) {
      tx.delete(loginAttempts)
        .where(eq(loginAttempts.address, digestOf(email)))
        .run();
    },
    countPlace(from) {
      const place = placeOf(from);
      const at = now().getTime();
      const recent = (places.get(place) ?? []).filter((one) => one.at > at - windowMs);
      if (recent.length >= maxInWindow) throw tooMany(recent[0]!.at + windowMs - at);
      const counted = { at };
      // Taken out and put back, the place that was quiet for the longest time comes first.
      places.delete(place);
      places.set(place, [...recent, counted]);
      if (places.size > maxPlaces) places.delete(places.keys().next().value ?? place);
      return () => {
        const others = places.get(place)?.filter((one) => one !== counted);
        if (others !== undefined) places.set(place, others);
      };
    },
  };
}

/** Rows that no longer count for anything. */
export function purgeLoginAttempts(tx: Tx, at: Date): void {
  const before = new Date(at.getTime() - forgottenAfterMs);
  tx.delete(loginAttempts).where(lt(loginAttempts.lastAt, before)).run();
}

function lockedUntil(failures: number, at: Date): Date | null {
  if (failures <= freeFailures) return null;
  const pauseMs = pausesMs[failures - freeFailures - 1] ?? pausesMs.at(-1)!;
  return new Date(at.getTime() + pauseMs);
}

function refuseWhileLocked(until: Date | null, at: Date): void {
  if (until !== null && until > at) throw tooMany(until.getTime() - at.getTime());
}

function tooMany(waitMs: number): ForensicsError {
  return new ForensicsError(
    'rate_limited',
    'Too many failed attempts; wait before you try again.',
    {
      retryAfterSeconds: Math.ceil(waitMs / 1000),
    },
  );
}

/** An IPv4 address, or the /64 network of an IPv6 address: that much a single customer is given. */
function placeOf(address: string): string {
  if (!isIPv6(address)) return address;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  const [head = '', tail] = address.split('%')[0]!.split('::');
  const left = groupsOf(head);
  const right = groupsOf(tail);
  const zeros = Array.from({ length: 8 - left.length - right.length }, () => 0);
  return [...left, ...zeros, ...right].slice(0, 4).join(':');
}

function groupsOf(text = ''): number[] {
  return text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16));
}
