/** What one place may fail and ask for together, whatever the accounts it tries. Kept in memory alone. */

import { isIPv6 } from 'node:net';
import { ForensicsError } from '../errors.ts';

export interface LoginPlaces {
  /**
   * @returns how to take the attempt back.
   * @throws {ForensicsError} `rate_limited` after 30 failures within 15 minutes.
   */
  countPlace(from: string): () => void;
  /**
   * Passwords are looked at in one queue for all: no place may fill it.
   *
   * @throws {ForensicsError} `rate_limited` when four from there are under way.
   */
  withSeat<T>(from: string, act: () => Promise<T>): Promise<T>;
}

const windowMs = 15 * 60_000;
const maxInWindow = 30;
// A hundred bytes each. Who owns more addresses than this is not stopped by counting them.
const maxPlaces = 10_000;
const maxSeats = 4;

interface Failure {
  readonly at: number;
}

export function createLoginPlaces({ now }: { readonly now: () => Date }): LoginPlaces {
  const places = new Map<string, readonly Failure[]>();
  const seats = new Map<string, number>();

  return {
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
    async withSeat(from, act) {
      const place = placeOf(from);
      const taken = seats.get(place) ?? 0;
      if (taken >= maxSeats) {
        const message = 'Too many attempts at once from your network; try again soon.';
        throw new ForensicsError('rate_limited', message);
      }
      seats.set(place, taken + 1);
      try {
        return await act();
      } finally {
        const others = (seats.get(place) ?? 1) - 1;
        if (others === 0) seats.delete(place);
        else seats.set(place, others);
      }
    },
  };
}

export function tooMany(waitMs: number): ForensicsError {
  return new ForensicsError(
    'rate_limited',
    'Too many failed attempts; wait before you try again.',
    { retryAfterSeconds: Math.ceil(waitMs / 1000) },
  );
}

/** An IPv4 address, or the /64 network of an IPv6 address: that much a single customer is given. Other words stay. */
export function placeOf(address: string): string {
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
