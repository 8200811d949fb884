/**
 * Slows down password guessing. Attempts on an account from one place (a network, or an open session) are slowed by
 * growing pauses. Attempts from all places together are slowed later and only by short pauses, because guesses from
 * elsewhere must not lock the owner out. Both counts survive a restart. Each attempt counts as failed before its
 * password is checked, and no longer counts if the password was right, so a hundred simultaneous attempts get no more
 * guesses than a hundred in a row.
 */

import { createHmac } from 'node:crypto';
import { isIPv6 } from 'node:net';
import { between, eq, lt, sql } from 'drizzle-orm';
import { type Clocked, transact, type Tx } from '../../../ports/db/database.ts';
import { loginAttempts } from '../../../ports/db/schema.ts';
import { type ForensicsError, rateLimited } from '../../../contract/errors.ts';

export type LoginAttempts = ReturnType<typeof createLoginAttempts>;

export interface Attempt {
  /** The id of an account, or, if there is none, the address in its normal form. */
  readonly account: string;
  /** A network address, or a name for the requesting session. */
  readonly from: string;
}

interface Ladder {
  readonly freeFailures: number;
  /** Pauses after the first, second, ... failure beyond the free ones; the last pause applies to all later failures. */
  readonly pausesMs: readonly number[];
}

const minuteMs = 60_000;
const fromOnePlace: Ladder = {
  freeFailures: 4,
  pausesMs: [0.5, 1, 5, 15, 60].map((minutes) => minutes * minuteMs),
};
/** One place can fail at most 31 times a day; all places together get at most 1,540 guesses. */
const fromAllPlaces: Ladder = { freeFailures: 99, pausesMs: [minuteMs] };
const forgottenAfterMs = 24 * 60 * minuteMs;

/** @param parts.key - 32 bytes. */
export function createLoginAttempts({ db, key, now }: Clocked & { readonly key: Uint8Array }) {
  const keyedDigest = (text: string) => createHmac('sha256', key).update(text).digest();
  const placeKey = ({ account, from }: Attempt) =>
    Buffer.concat([keyedDigest(account), keyedDigest(`${account}\n${toPlace(from)}`)]);

  async function count(tx: Tx, address: Buffer, ladder: Ladder): Promise<void> {
    const at = now();
    const isIt = eq(loginAttempts.address, address);
    const row = await tx.select().from(loginAttempts).where(isIt).get();
    const waitMs = (row?.lockedUntil?.getTime() ?? 0) - at.getTime();
    if (waitMs > 0) throw tooMany(waitMs);
    const isOld = row === undefined || at.getTime() - row.lastAt.getTime() > forgottenAfterMs;
    const failures = (isOld ? 0 : row.failures) + 1;
    const set = { failures, lastAt: at, lockedUntil: lockedUntil(ladder, failures, at) };
    await tx
      .insert(loginAttempts)
      .values({ address, ...set })
      .onConflictDoUpdate({ target: loginAttempts.address, set })
      .run();
  }

  return {
    /**
     * @param attempt - counted in the same way whether or not there is an account.
     * @throws {ForensicsError} `rate_limited` while it is locked. Such an attempt is not counted,
     *   so further attempts do not prolong the lock.
     */
    async countAccount(attempt: Attempt): Promise<void> {
      // In one transaction, so that the first count is undone if the second is refused.
      await transact(db, async (tx) => {
        await count(tx, placeKey(attempt), fromOnePlace);
        await count(tx, keyedDigest(attempt.account), fromAllPlaces);
      });
    },
    /** Call it if the password was right: takes back this attempt and all earlier ones from this place. */
    async forgive(tx: Tx, attempt: Attempt): Promise<void> {
      const isPlace = eq(loginAttempts.address, placeKey(attempt));
      await tx.delete(loginAttempts).where(isPlace).run();
      // Takes back only its own attempts: logging in often must not cancel out the attempts of others.
      await tx
        .update(loginAttempts)
        .set({ failures: oneFailureLess, lockedUntil: null })
        .where(eq(loginAttempts.address, keyedDigest(attempt.account)))
        .run();
    },
    /** Call it if the account has a new password: earlier attempts no longer count. */
    async forgiveAccount(tx: Tx, account: string): Promise<void> {
      const first = keyedDigest(account);
      const last = Buffer.concat([first, Buffer.alloc(first.length, 0xff)]);
      const isIts = between(loginAttempts.address, first, last);
      await tx.delete(loginAttempts).where(isIts).run();
    },
    ...createLoginPlaces(now),
  };
}

const oneFailureLess = sql`CASE WHEN ${loginAttempts.failures} > 0 THEN ${loginAttempts.failures} - 1 ELSE 0 END`;

export async function purgeLoginAttempts(tx: Tx, at: Date): Promise<void> {
  const before = new Date(at.getTime() - forgottenAfterMs);
  await tx.delete(loginAttempts).where(lt(loginAttempts.lastAt, before)).run();
}

function lockedUntil({ freeFailures, pausesMs }: Ladder, failures: number, at: Date): Date | null {
  if (failures <= freeFailures) return null;
  const pauseMs = pausesMs[failures - freeFailures - 1] ?? pausesMs.at(-1)!;
  return new Date(at.getTime() + pauseMs);
}

const windowMs = 15 * 60_000;
const maxInWindow = 30;
// Each takes about a hundred bytes. Counting addresses does not stop an attacker who has more than this.
const maxPlaces = 10_000;
const maxSeats = 4;

/** Limits the failures and requests from one place in total, whatever accounts it tries. Kept in memory only. */
function createLoginPlaces(now: () => Date) {
  const places = new Map<string, readonly { readonly at: number }[]>();
  const seats = createSeats(
    maxSeats,
    'Too many attempts at once from your network; try again shortly.',
  );

  return {
    /** @returns a function that takes it back. @throws {ForensicsError} `rate_limited` after 30 in 15 minutes. */
    countPlace(from: string): () => void {
      const place = toPlace(from);
      const at = now().getTime();
      const recent = (places.get(place) ?? []).filter((one) => one.at > at - windowMs);
      if (recent.length >= maxInWindow) throw tooMany(recent[0]!.at + windowMs - at);
      const counted = { at };
      // Re-inserted at the end, so that the first entry is the place that has been quiet longest.
      places.delete(place);
      places.set(place, [...recent, counted]);
      if (places.size > maxPlaces) places.delete(places.keys().next().value ?? place);
      return () => {
        const others = places.get(place)?.filter((one) => one !== counted);
        if (others !== undefined) places.set(place, others);
      };
    },
    /** All are checked in one queue, which no place may fill. @throws {ForensicsError} `rate_limited` above four. */
    withSeat: <T>(from: string, act: () => Promise<T>) => seats(toPlace(from), act),
  };
}

/** Runs at most `most` acts at once for each name, and refuses more with `rate_limited`. */
export function createSeats(most: number, message: string) {
  const taken = new Map<string, number>();
  return async <T>(name: string, act: () => Promise<T>): Promise<T> => {
    const before = taken.get(name) ?? 0;
    if (before >= most) throw rateLimited(message);
    taken.set(name, before + 1);
    try {
      return await act();
    } finally {
      const others = (taken.get(name) ?? 1) - 1;
      if (others === 0) taken.delete(name);
      else taken.set(name, others);
    }
  };
}

function tooMany(waitMs: number): ForensicsError {
  const message = 'Too many failed attempts; wait before you try again.';
  const retryAfterSeconds = Math.ceil(waitMs / 1000);
  return rateLimited(message, { retryAfterSeconds });
}

/** An IPv4 address, or the /64 network of an IPv6 address, which is what one customer gets. Other text stays as it is. */
function toPlace(address: string): string {
  if (!isIPv6(address)) return address;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  const [head = '', tail] = address.split('%')[0]!.split('::');
  const left = parseGroups(head);
  const right = parseGroups(tail);
  const zeros = Array.from({ length: 8 - left.length - right.length }, () => 0);
  return [...left, ...zeros, ...right].slice(0, 4).join(':');
}

function parseGroups(text = ''): number[] {
  return text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16));
}
