/** Acts on the same key run one after the other within this process; acts on different keys do not wait for each other. */

export type Mutex = <T>(key: string, act: () => Promise<T>) => Promise<T>;

export function createMutex(): Mutex {
  const last = new Map<string, Promise<unknown>>();
  return async (key, act) => {
    const mine = (last.get(key) ?? Promise.resolve()).then(act);
    // The next one waits for the end, whatever it was; the failure is told to its own caller.
    const ended = mine.catch(() => undefined);
    last.set(key, ended);
    try {
      return await mine;
    } finally {
      if (last.get(key) === ended) last.delete(key);
    }
  };
}
