/** Resources that are released in reverse order of acquisition, even if acquiring one of them fails. */

export interface Stack {
  /** Registers how to release a resource. */
  defer(release: () => void | Promise<void>): void;
  /** Releases everything; one failing release does not prevent the others. */
  unwind(): Promise<void>;
}

/** Runs `open`; when it throws, releases what it acquired so far and rethrows the error. */
export async function withStack<T>(open: (stack: Stack) => Promise<T>): Promise<T> {
  const stack = createStack();
  try {
    return await open(stack);
  } catch (error) {
    // The caller needs the reason why opening failed; a failure to close usually follows from it.
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
        throw new AggregateError(failures, 'Some resources could not be closed.');
    },
  };
}
