import pLimit, { type LimitFunction } from 'p-limit';

/**
 * Lets a few through at a time and the others wait: each act behind it holds a whole picture in memory. No tenant gets the
 * last place: a store that does not answer holds up its own tenant alone.
 */
export type Gate = <T>(tenantId: string, act: () => Promise<T>) => Promise<T>;

/** @param places - acts at a time, at least 1; the others begin in the order in which they came. */
export function createGate(places: number): Gate {
  const everybody = pLimit(places);
  const tenants = new Map<string, LimitFunction>();
  return (tenantId, act) => {
    const own = tenants.get(tenantId) ?? pLimit(Math.max(1, places - 1));
    tenants.set(tenantId, own);
    return own(() => everybody(act));
  };
}
