/** A queue in which names take turns, so that a thousand entries with one name delay every other name by only one. */
export interface FairQueue<T> {
  add(name: string, entry: T): void;
  /** Removes and returns the next entry of the names that `isAllowed` accepts; undefined if none of them has one. */
  next(isAllowed?: (name: string) => boolean): T | undefined;
}

export function createFairQueue<T>(): FairQueue<T> {
  /** By name, in the order in which they are served next; a name without entries is absent. */
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
