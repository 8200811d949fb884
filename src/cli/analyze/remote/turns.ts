export interface Turns {
  /** Does `act` when all that was asked for under the same key before is done, well or not. */
  take<T>(key: string, act: () => Promise<T>): Promise<T>;
}

export function createTurns(): Turns {
  const last = new Map<string, Promise<unknown>>();
  return {
    async take(key, act) {
      const before = last.get(key) ?? Promise.resolve();
      const mine = before.then(act, act);
      last.set(key, mine);
      try {
        return await mine;
      } finally {
        if (last.get(key) === mine) last.delete(key);
      }
    },
  };
}
