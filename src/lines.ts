/** Those who wait, each in the line of a name; names take turns, so that a long line delays the others by one at a time. */
export interface Lines<T> {
  add(name: string, one: T): void;
  /** Takes out who is next of the names that may; undefined when none of them waits. */
  next(may?: (name: string) => boolean): T | undefined;
}

export function createLines<T>(): Lines<T> {
  /** The line that comes next stands first; one that is empty is left out. */
  const lines = new Map<string, T[]>();
  return {
    add(name, one) {
      const line = lines.get(name);
      if (line === undefined) lines.set(name, [one]);
      else line.push(one);
    },
    next(may = () => true) {
      for (const [name, line] of lines) {
        if (!may(name)) continue;
        const one = line.shift();
        lines.delete(name);
        if (line.length > 0) lines.set(name, line);
        return one;
      }
      return undefined;
    },
  };
}
