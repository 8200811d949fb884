/** Tables of entries, buttons and small pictures in their rows, and paging. */

import type { ComponentChildren, TargetedInputEvent } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Analysis } from '../../contract/analysis.ts';
import { maxThumbnails } from '../../contract/limits.ts';
import { ask } from '../api/client.ts';
import { useConsole } from '../context.ts';
import { type Fields, readFields } from './form.tsx';
import type { Loaded } from './loading.ts';
import { type Act, Awaited, Button, Buttons, isCompleted, Time } from './pieces.tsx';

export interface Column<Entry> {
  /** Null for the column of buttons, whose heading only a screen reader needs. */
  readonly head: ComponentChildren | null;
  readonly cell: (entry: Entry) => ComponentChildren;
  readonly class?: string;
  /** The heading is repeated in the cell where rows become cards. */
  readonly isLabelled?: boolean;
}

export function timeColumn<Entry>(
  head: string,
  read: (entry: Entry) => string | null,
  isLabelled = false,
): Column<Entry> {
  return { head, class: 'small soft', isLabelled, cell: (entry) => <Time at={read(entry)} /> };
}

/** The column of small buttons. @param subject - the entry that they act on, for screen readers. */
export function actsColumn<Entry>(
  actsOn: (entry: Entry) => readonly Act[],
  subject: (entry: Entry) => string,
): Column<Entry> {
  return {
    head: null,
    cell: (entry) => <Buttons kind="quiet little" acts={actsOn(entry)} subject={subject(entry)} />,
  };
}

interface TableProps<Entry> {
  readonly loaded: Loaded<readonly Entry[]>;
  readonly columns: readonly Column<Entry>[];
  readonly keyOf: (entry: Entry) => string | number;
  readonly empty: ComponentChildren;
}

export function Table<Entry>({ loaded, columns, keyOf, empty }: TableProps<Entry>) {
  const { list } = useConsole();
  return (
    <Awaited loaded={loaded}>
      {(data) =>
        data.length === 0 ? (
          <div class="toolbar soft">{empty}</div>
        ) : (
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
        )
      }
    </Awaited>
  );
}

/** Their thumbnails fit into one request. */
export const pageSize = maxThumbnails;

interface RangePagerProps {
  readonly start: number;
  readonly total: number;
  readonly setStart: (start: number) => void;
}

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

// Small pictures in lists.

/** Thumbnail URLs of one page of completed analyses, by id. Loaded after the list, which is shown without waiting for them. */
export function useThumbnails(analyses: readonly Analysis[]): ReadonlyMap<string, string> {
  const { tenantName } = useConsole();
  const [urls, setUrls] = useState<ReadonlyMap<string, string>>(new Map());
  const completed = analyses.filter(isCompleted);
  const ids = completed.map(({ id }) => id).join(',');
  useEffect(() => {
    if (ids === '') return undefined;
    const end = new AbortController();
    const question = { query: { tenantName, ids }, signal: end.signal };
    void ask<readonly Record<'id' | 'jpeg', string>[]>('/v1/analysis/thumbnails', question).then(
      (found) => setUrls(new Map(found.map(({ id, jpeg }) => [id, toUrl(jpeg)] as const))),
      () => undefined,
    );
    return () => end.abort();
  }, [tenantName, ids]);
  useEffect(() => () => urls.forEach((url) => URL.revokeObjectURL(url)), [urls]);
  return urls;
}

function toUrl(jpeg: string): string {
  const bytes = Uint8Array.from(atob(jpeg), (character) => character.charCodeAt(0));
  return URL.createObjectURL(new Blob([bytes], { type: 'image/jpeg' }));
}

export function Thumbnail({ url }: { readonly url: string | undefined }) {
  return url === undefined ? null : <img class="thumbnail" src={url} alt="" />;
}

interface FilterFormProps {
  readonly isFiltered: boolean;
  /** Called with the texts of all fields, or with none to clear the filters. */
  readonly onFields: (fields: Fields) => void;
  readonly children: ComponentChildren;
}

/** Text becomes a filter after a pause in typing, so that there is a request per word, not per letter. */
const typingPauseMs = 300;

/** The filters of a list, which take effect at once. */
export function FilterForm({ isFiltered, onFields, children }: FilterFormProps) {
  const { list } = useConsole();
  const [round, setRound] = useState(0);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const take = ({ target, currentTarget }: TargetedInputEvent<HTMLFormElement>) => {
    const isTyping = target instanceof HTMLInputElement && target.type !== 'date';
    const tell = () => onFields(readFields(currentTarget));
    clearTimeout(timer.current);
    if (isTyping) timer.current = setTimeout(tell, typingPauseMs);
    else tell();
  };
  const clear = () => {
    clearTimeout(timer.current);
    onFields({});
    // New fields, which are empty.
    setRound(round + 1);
  };
  return (
    <form
      key={round}
      class="toolbar columns filters"
      role="search"
      onInput={take}
      onSubmit={(event) => event.preventDefault()}
    >
      {children}
      {isFiltered && <Button onClick={clear}>{list.reset}</Button>}
    </form>
  );
}
