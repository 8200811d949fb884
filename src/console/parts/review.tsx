/** Moves through a list or a case by keyboard: next, previous, comment. */

import { useLayoutEffect, useState } from 'preact/hooks';
import { useConsole } from '../context.ts';
import { CheckField } from './form.tsx';
import { Button, Dialog, Facts } from './pieces.tsx';

interface Sequence {
  readonly ids: readonly string[];
  /** How many entries of the whole list come before the first of `ids`. */
  readonly start: number;
  readonly total: number;
  readonly load: (start: number) => Promise<readonly string[]>;
}

/** The list shown last. The page of an analysis leads to the next and the previous entry in it. */
let sequence: Sequence | null = null;

export function rememberSequence(next: Sequence): void {
  sequence = next;
}

/** Moves to the next or previous analysis of the list from which `id` was opened. */
export function useReview(id: string, onComment: () => unknown) {
  const [, redraw] = useState(0);
  const go = async (by: 1 | -1): Promise<void> => {
    const next = await neighbour(id, by);
    // Opens the same tab of the next analysis.
    const tab = /\?tab=\w+/.exec(location.hash)?.[0] ?? '';
    if (next !== null) location.hash = `#/analysis/${next}${tab}`;
    redraw((count) => count + 1);
  };
  const help = useKeys({ n: () => void go(1), p: () => void go(-1), c: onComment });
  const at = sequence?.ids.indexOf(id) ?? -1;
  const place = at < 0 || sequence === null ? null : sequence.start + at + 1;
  return { place, total: sequence?.total ?? 0, go, help };
}

async function neighbour(id: string, by: 1 | -1): Promise<string | null> {
  if (sequence === null || !sequence.ids.includes(id)) return null;
  const { ids, start, total, load } = sequence;
  const beside = ids[ids.indexOf(id) + by];
  if (beside !== undefined) return beside;
  if (by === 1 && start + ids.length < total) {
    sequence = { ...sequence, ids: [...ids, ...(await load(start + ids.length))] };
  } else if (by === -1 && start > 0) {
    const from = Math.max(0, start - ids.length);
    const before = (await load(from)).slice(0, start - from);
    sequence = { ...sequence, start: from, ids: [...before, ...ids] };
  }
  return sequence.ids[sequence.ids.indexOf(id) + by] ?? null;
}

export function ReviewBar({ place, total, go, help }: ReturnType<typeof useReview>) {
  const { review } = useConsole();
  return (
    <div class="row">
      {place !== null && (
        <>
          <span class="soft small">{review.place(place, total)}</span>
          <Button kind="little" disabled={place === 1} onClick={() => void go(-1)}>
            ‹ {review.previous}
          </Button>
          <Button kind="little" disabled={place === total} onClick={() => void go(1)}>
            {review.next} ›
          </Button>
        </>
      )}
      {help}
    </div>
  );
}

/** In a list, moves the focus between rows. @param onComment - called with the number of the row. */
export function useRowKeys(onComment: (row: number) => unknown) {
  return useKeys({
    n: () => focusRow(focusedRow() + 1),
    p: () => focusRow(Math.max(0, focusedRow() - 1)),
    c: () => focusedRow() >= 0 && onComment(focusedRow()),
  });
}

function rowLinks(): readonly HTMLElement[] {
  return [...document.querySelectorAll<HTMLElement>('tbody .name > a:first-child')];
}

function focusedRow(): number {
  const row = document.activeElement?.closest('tr') ?? null;
  return row === null ? -1 : rowLinks().findIndex((link) => row.contains(link));
}

function focusRow(row: number): void {
  const link = rowLinks()[row];
  link?.focus();
  link?.scrollIntoView({ block: 'nearest' });
}

/** The keys, in the same order as their meanings. */
const keyNames = ['N', 'P', 'C', '⏎', '?', '← → ↑ ↓', '+ − 0', 'L'];
const offKey = 'forensics-keys-off';

/** Single-key shortcuts, inactive while typing. @returns the hint that names the keys, and the help for them. */
function useKeys(acts: Readonly<Record<string, () => unknown>>) {
  const { cases, review } = useConsole();
  const [isOpen, setOpen] = useState(false);
  // WCAG 2.1.4: people who use speech input can turn them off.
  const [isOn, setOn] = useState(localStorage.getItem(offKey) === null);
  // Done before the browser paints, so that a key pressed immediately is not lost.
  useLayoutEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      if (event.key === '?') return setOpen(true);
      const act = isOn ? acts[event.key] : undefined;
      if (act === undefined) return;
      event.preventDefault();
      act();
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  });
  const toggle = (next: boolean) => {
    if (next) localStorage.removeItem(offKey);
    else localStorage.setItem(offKey, 'off');
    setOn(next);
  };
  return (
    <>
      <Button kind="quiet little keys" onClick={() => setOpen(true)}>
        {isOn && (
          <>
            <kbd>N</kbd> {review.next} <kbd>P</kbd> {review.previous} <kbd>C</kbd> {cases.comment}
          </>
        )}
        <kbd>?</kbd> {review.help}
      </Button>
      {isOpen && (
        <Dialog title={review.help} onClose={() => setOpen(false)}>
          <Facts
            rows={review.keys.map((meaning, at) => [<kbd key={at}>{keyNames[at]}</kbd>, meaning])}
          />
          <CheckField label={review.on} checked={isOn} onChecked={toggle} />
        </Dialog>
      )}
    </>
  );
}

function isTyping(target: EventTarget | null): boolean {
  const isField = target instanceof HTMLElement && target.matches('input, select, textarea');
  const isChoice = target instanceof HTMLInputElement && target.type === 'checkbox';
  return (isField && !isChoice) || document.querySelector('dialog[open]') !== null;
}
