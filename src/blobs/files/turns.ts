/** Acts on the same name take turns within this process; acts on different names do not wait for each other. */
export type Turns = <T>(name: string, act: () => Promise<T>) => Promise<T>;

export function createTurns(): Turns {
  const last = new Map<string, Promise<unknown>>();
  return async (name, act) => {
    const mine = (last.get(name) ?? Promise.resolve()).then(act);
    // The next one waits for the end, whatever it was; the failure is told to its own caller.
    const ended = mine.catch(() => undefined);
    last.set(name, ended);
    try {
      return await mine;
    } finally {
      if (last.get(name) === ended) last.delete(name);
    }
  };
}
