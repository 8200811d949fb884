/** Data of a page: fetched when it opens, again on request, and with growing pauses while work is in progress. */

import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { ApiError, type Ask, ask } from '../api/client.ts';
import { useConsole } from '../context.ts';

export interface Loaded<T> {
  readonly data: T | null;
  readonly error: unknown;
  readonly reload: () => void;
}

interface Loading<T> {
  readonly load: (signal: AbortSignal) => Promise<T>;
  /** Milliseconds until the next request; null if there is to be none. */
  readonly pause?: (data: T, unchanged: number) => number | null;
}

const unreachablePauseMs = 4000;

/** @param key - fetched again when it changes. */
export function useLoaded<T>(key: string, { load, pause }: Loading<T>): Loaded<T> {
  const nothing: Omit<Loaded<T>, 'reload'> = { data: null, error: null };
  const [state, setState] = useState({ key, ...nothing });
  const [round, setRound] = useState(0);
  const latest = useRef({ load, pause });
  latest.current = { load, pause };

  useEffect(() => {
    const end = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let before = '';
    let unchanged = 0;
    const look = async (): Promise<void> => {
      try {
        const data = await latest.current.load(end.signal);
        if (end.signal.aborted) return;
        const text = JSON.stringify(data);
        unchanged = text === before ? unchanged + 1 : 0;
        before = text;
        setState({ key, data, error: null });
        const next = latest.current.pause?.(data, unchanged) ?? null;
        if (next !== null) timer = setTimeout(() => void look(), document.hidden ? 4 * next : next);
      } catch (error) {
        if (end.signal.aborted) return;
        setState((was) => ({ key, data: was.key === key ? was.data : null, error }));
        if (!(error instanceof ApiError && error.isTemporary)) return;
        timer = setTimeout(() => void look(), error.retryAfterMs ?? unreachablePauseMs);
      }
    };
    void look();
    return () => {
      end.abort();
      clearTimeout(timer);
    };
  }, [key, round]);

  const reload = useCallback(() => setRound((count) => count + 1), []);
  const { data, error } = state.key === key ? state : nothing;
  return { data, error, reload };
}

/** What a route returns for the tenant of this page. @param query - additional query parameters. */
export function useTenantData<T>(path: string, query: Ask['query'] = {}): Loaded<T> {
  const { tenantName } = useConsole();
  return useLoaded<T>(JSON.stringify([path, tenantName, query]), {
    load: (signal) => ask(path, { query: { tenantName, ...query }, signal }),
  });
}

/** Starts at two seconds and grows by half after each request that found nothing new, up to fifteen seconds. */
export function growingPause(unchanged: number): number {
  return Math.min(2000 * 1.5 ** unchanged, 15_000);
}
