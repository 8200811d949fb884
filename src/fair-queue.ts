/** A queue in which names take turns: somebody with a thousand entries delays everybody else by one at a time. */
export interface FairQueue<T> {
  add(name: string, entry: T): void;
  /** Removes and returns the next entry of the names that `isAllowed`; undefined when none of them has one. */
  next(isAllowed?: (name: string) => boolean): T | undefined;
}

export function createFairQueue<T>(): FairQueue<T> {
  /** By name; the name that is served next stands first, and one without entries is left out. */
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
