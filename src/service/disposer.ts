/** Resources that are given back in the reverse order of their taking, also when taking them fails half-way. */

export interface Stack {
  /** Remembers how to give something back. */
  defer(release: () => void | Promise<void>): void;
  /** Gives everything back; a release that fails does not keep the others from theirs. */
  unwind(): Promise<void>;
}

/** Runs `open`; when it throws, what it took so far is given back before the error passes on. */
export async function withStack<T>(open: (stack: Stack) => Promise<T>): Promise<T> {
  const stack = createStack();
  try {
    return await open(stack);
  } catch (error) {
    // Why opening failed is what the caller must hear; that closing failed too follows from it more often than not.
    await stack.unwind().catch(() => undefined);
    throw error;
  }
}

function createStack(): Stack {
  const releases: (() => void | Promise<void>)[] = [];
  return {
    defer: (release) => void releases.push(release),
    async unwind() {
      const failures: unknown[] = [];
      for (let release = releases.pop(); release; release = releases.pop()) {
        try {
          await release();
        } catch (error) {
          failures.push(error);
        }
      }
      if (failures.length > 0)
        throw new AggregateError(failures, 'Not everything could be closed.');
    },
  };
}
