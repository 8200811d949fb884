/** Lets a few through at a time and the others wait: each act behind it holds a whole picture in memory. */
export type Gate = <T>(act: () => Promise<T>) => Promise<T>;

/** @param places - acts at a time, at least 1; the others begin in the order in which they came. */
export function createGate(places: number): Gate {
  const waiting: (() => void)[] = [];
  let free = places;

  return async (act) => {
    if (free > 0) free--;
    else await new Promise<void>((begin) => waiting.push(begin));
    try {
      return await act();
    } finally {
      const next = waiting.shift();
      if (next === undefined) free++;
      else next();
    }
  };
}
