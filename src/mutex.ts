/** Runs tasks with the same key one after another within this process; tasks with different keys do not wait. */

export type Mutex = <T>(key: string, act: () => Promise<T>) => Promise<T>;

export function createMutex(): Mutex {
  const last = new Map<string, Promise<unknown>>();
  return async (key, act) => {
    const mine = (last.get(key) ?? Promise.resolve()).then(act);
    // The next task waits for this one to end, with or without success; only this task's own caller sees a failure.
    const ended = mine.catch(() => undefined);
    last.set(key, ended);
    try {
      return await mine;
    } finally {
      if (last.get(key) === ended) last.delete(key);
    }
  };
}
