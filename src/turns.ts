/** Who waits for whom within this process. */

/** Runs tasks with the same key one after another; tasks with different keys do not wait. */
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

/** A queue in which names take turns, so that a thousand entries of one name delay any other by only one entry. */
export interface FairQueue<T> {
  add(name: string, entry: T): void;
  /** Removes and returns the next entry whose name `isAllowed` accepts; undefined if there is none. */
  next(isAllowed?: (name: string) => boolean): T | undefined;
}

export function createFairQueue<T>(): FairQueue<T> {
  /** Entries by name, in the order in which names take their next turn; a name without entries is absent. */
  const queues = new Map<string, T[]>();
  return {
    add(name, entry) {
      const queue = queues.get(name);
      if (queue === undefined) queues.set(name, [entry]);
      else queue.push(entry);
    },
    next(isAllowed = () => true) {
      for (const [name, queue] of queues) {
        if (!isAllowed(name)) continue;
        const entry = queue.shift();
        queues.delete(name);
        if (queue.length > 0) queues.set(name, queue);
        return entry;
      }
      return undefined;
    },
  };
}
