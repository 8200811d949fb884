/** Tables of entries, buttons in their rows, and paging. */

import type { ComponentChildren } from 'preact';
import { maxThumbnails } from '../../contract/limits.ts';
import { useConsole } from '../context.ts';
import type { Loaded } from './loading.ts';
import { Button, Failure, Loading, Time } from './pieces.tsx';

export interface Column<Entry> {
  /** Null for the column of buttons, whose heading only a screen reader needs. */
  readonly head: ComponentChildren | null;
  readonly cell: (entry: Entry) => ComponentChildren;
  readonly class?: string;
  /** The heading is repeated in the cell where rows become cards. */
  readonly isLabelled?: boolean;
}

/** A column of times. @param isLabelled - see `Column`. */
export function timeColumn<Entry>(
  head: string,
  read: (entry: Entry) => string | null,
  isLabelled = false,
): Column<Entry> {
  return { head, class: 'small soft', isLabelled, cell: (entry) => <Time at={read(entry)} /> };
}

interface TableProps<Entry> {
  readonly loaded: Loaded<readonly Entry[]>;
  readonly columns: readonly Column<Entry>[];
  readonly keyOf: (entry: Entry) => string | number;
  readonly empty: ComponentChildren;
}

/** A table; without rows, it shows a loading message, the error, or `empty`. */
export function Table<Entry>({
  loaded: { data, error, reload },
  columns,
  keyOf,
  empty,
}: TableProps<Entry>) {
  const { list } = useConsole();
  return (
    <>
      {error !== null && (
        <div class="toolbar">
          <Failure error={error} retry={reload} />
        </div>
      )}
      {data === null && error === null && (
        <div class="toolbar">
          <Loading />
        </div>
      )}
      {data?.length === 0 && <div class="toolbar soft">{empty}</div>}
      {data !== null && data.length > 0 && (
        <div class="scroll">
          <table class="cards">
            <thead>
              <tr>
                {columns.map(({ head, class: name }, at) => (
                  <th key={at} scope="col" class={name}>
                    {head ?? <span class="hidden">{list.actions}</span>}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {data.map((entry) => (
                <tr key={keyOf(entry)}>
                  {columns.map(({ head, cell, class: name, isLabelled = false }, at) => (
                    <td key={at} class={name} data-label={isLabelled ? head : undefined}>
                      {cell(entry)}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </>
  );
}

interface RowButtonProps {
  readonly label: string;
  readonly subject: string;
  readonly onClick: () => void;
}

/** A small button in a row of a table. @param subject - the entry that it acts on, for screen readers. */
export function RowButton({ label, subject, onClick }: RowButtonProps) {
  return (
    <Button kind="quiet little" onClick={onClick}>
      {label}
      <span class="hidden"> {subject}</span>
    </Button>
  );
}

/** Their thumbnails fit into one request. */
export const pageSize = maxThumbnails;

interface RangePagerProps {
  readonly start: number;
  readonly total: number;
  readonly setStart: (start: number) => void;
}

/** A pager for a list whose length is known. */
export function RangePager({ start, total, setStart }: RangePagerProps) {
  const older = start + pageSize;
  return (
    <Pager
      newer={start === 0 ? null : () => setStart(Math.max(0, start - pageSize))}
      older={older >= total ? null : () => setStart(older)}
    />
  );
}

type Page = (() => void) | null;

/** Buttons for the newer and the older page. If a page is null, its button is disabled. */
export function Pager({ newer, older }: { readonly newer: Page; readonly older: Page }) {
  const { common } = useConsole();
  const button = (sign: string, label: string, page: Page) => (
    <Button kind="little" aria-label={label} disabled={page === null} onClick={() => page?.()}>
      {sign}
    </Button>
  );
  return (
    <div class="row">
      {button('‹', common.newer, newer)}
      {button('›', common.older, older)}
    </div>
  );
}
