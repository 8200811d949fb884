/**
 * Lets a few through at a time and the others wait: each act behind it holds a whole picture in memory. No tenant gets the
 * last place: a store that does not answer holds up its own tenant alone.
 */
export type Gate = <T>(tenantId: string, act: () => Promise<T>) => Promise<T>;

/** @param places - acts at a time, at least 1; the others begin in the order in which they came. */
export function createGate(places: number): Gate {
  const mostOfOne = Math.max(1, places - 1);
  const waiting: { readonly tenantId: string; readonly begin: () => void }[] = [];
  const inside: string[] = [];

  const hasPlace = (tenantId: string): boolean =>
    inside.filter((one) => one === tenantId).length < mostOfOne;

  function admit(): void {
    while (inside.length < places) {
      const index = waiting.findIndex(({ tenantId }) => hasPlace(tenantId));
      const [next] = index === -1 ? [] : waiting.splice(index, 1);
      if (next === undefined) return;
      inside.push(next.tenantId);
      next.begin();
    }
  }

  return async (tenantId, act) => {
    await new Promise<void>((begin) => {
      waiting.push({ tenantId, begin });
      admit();
    });
    try {
      return await act();
    } finally {
      inside.splice(inside.indexOf(tenantId), 1);
      admit();
    }
  };
}
