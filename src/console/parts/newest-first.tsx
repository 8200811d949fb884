/** Lists without an end: a page begins behind the last entry of the one before it. */

import { useState } from 'preact/hooks';
import { useConsole } from '../context.ts';
import { Button } from './pieces.tsx';

export const pageSize = 100;

export interface Place {
  /** What the last entry of the newer page is known by; null for the newest. */
  readonly before: string | null;
  readonly older: (last: string) => void;
  readonly newer: (() => void) | null;
  readonly restart: () => void;
}

export function usePlace(): Place {
  const [path, setPath] = useState<readonly string[]>([]);
  return {
    before: path.at(-1) ?? null,
    older: (last) => setPath([...path, last]),
    newer: path.length === 0 ? null : () => setPath(path.slice(0, -1)),
    restart: () => setPath([]),
  };
}

/** @param last - what the last entry of the page is known by; null when none is older. */
export function Pager({ place, last }: { readonly place: Place; readonly last: string | null }) {
  const { common } = useConsole().words;
  return (
    <>
      <Button
        kind="little"
        aria-label={common.newer}
        disabled={place.newer === null}
        onClick={() => place.newer?.()}
      >
        ‹
      </Button>
      <Button
        kind="little"
        aria-label={common.older}
        disabled={last === null}
        onClick={() => last !== null && place.older(last)}
      >
        ›
      </Button>
    </>
  );
}
