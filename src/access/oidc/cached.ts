/** Something fetched from elsewhere that must outlive the times when elsewhere does not answer. */

export interface Cached<T> {
  /** What is held, renewed first when it is old and that can be done. @throws what `load` threw, when nothing is held. */
  current(): Promise<T>;
  /** Fetched now, unless that was tried a moment ago. @throws what `load` threw the last time. */
  renewed(): Promise<T>;
}

export interface CachedParts<T> {
  readonly load: () => Promise<T>;
  readonly freshMs: number;
  /** Between two tries, whatever came of the first: callers must not be able to make us call out at will. */
  readonly pauseMs: number;
  /** What could not be renewed for so long is not relied on any more. */
  readonly keptMs: number;
  readonly now: () => Date;
}

export function createCached<T>({
  load,
  freshMs,
  pauseMs,
  keptMs,
  now,
}: CachedParts<T>): Cached<T> {
  let held: { readonly value: T; readonly atMs: number } | null = null;
  let tried: { readonly atMs: number; readonly failure: Error | null } | null = null;
  let pending: Promise<void> | null = null;

  const ageMs = ({ atMs }: { readonly atMs: number }): number => now().getTime() - atMs;

  async function attempt(): Promise<void> {
    let failure: Error | null = null;
    try {
      const value = await load();
      held = { value, atMs: now().getTime() };
    } catch (error) {
      failure = error instanceof Error ? error : new Error(String(error));
    }
    tried = { failure, atMs: now().getTime() };
  }

  /** Never fails: what came of it is in `held` and `tried`. */
  async function renew(): Promise<void> {
    if (tried !== null && ageMs(tried) < pauseMs) return;
    pending ??= attempt().finally(() => {
      pending = null;
    });
    await pending;
  }

  const usable = (): T | null => (held !== null && ageMs(held) < keptMs ? held.value : null);
  const failure = (): Error => tried?.failure ?? new TypeError('Nothing was loaded.');

  return {
    async current() {
      if (held === null || ageMs(held) >= freshMs) {
        const renewal = renew();
        // While elsewhere is known to be in trouble nobody waits, as long as there is something to work with.
        if (usable() === null || tried?.failure == null) await renewal;
      }
      const value = usable();
      if (value !== null) return value;
      throw failure();
    },
    async renewed() {
      await renew();
      if (held !== null && tried?.failure === null) return held.value;
      throw failure();
    },
  };
}
