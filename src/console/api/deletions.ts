/**
 * Deletions that can be taken back: the request is sent only when the time for that is over, or the page closes.
 */

import type { removeAnalysis } from './analyses.ts';

const undoMs = 8000;

interface Deletions {
  /** Analyses that are deleted as far as anybody can see. */
  readonly hidden: ReadonlySet<string>;
  /** Returns what takes it back. */
  remove(
    tenantName: string,
    ids: readonly string[],
    onChange: (error?: unknown) => void,
  ): () => void;
  /** Sends everything that still waits, in a way that outlives the page. */
  flush(): void;
}

export function createDeletions(send: typeof removeAnalysis): Deletions {
  const hidden = new Set<string>();
  const waiting = new Set<(isLast: boolean) => void>();
  return {
    hidden,
    remove(tenantName, ids, onChange) {
      for (const id of ids) hidden.add(id);
      const act = (isLast: boolean): void => {
        clearTimeout(timer);
        waiting.delete(act);
        void Promise.all(ids.map((id) => send(tenantName, id, isLast))).catch((error: unknown) => {
          for (const id of ids) hidden.delete(id);
          onChange(error);
        });
      };
      const timer = setTimeout(() => act(false), undoMs);
      waiting.add(act);
      onChange();
      return () => {
        clearTimeout(timer);
        waiting.delete(act);
        for (const id of ids) hidden.delete(id);
        onChange();
      };
    },
    flush() {
      for (const act of waiting) act(true);
    },
  };
}
