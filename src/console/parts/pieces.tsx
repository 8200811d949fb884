/** Small pieces that several pages are made of. */

import type { ButtonHTMLAttributes, ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useId, useRef, useState } from 'preact/hooks';
import type { Analysis } from '../../contract/analysis.ts';
import { resultClasses } from '../../contract/vocabulary.ts';
import { messageOf, useConsole } from '../context.ts';
import type { Loaded } from './loading.ts';

/** The heading of a page, which names its tab too. */
export function PageTitle({ text }: { readonly text: string }) {
  useEffect(() => {
    document.title = `${text} · forensics`;
  }, [text]);
  return <h1>{text}</h1>;
}

/** A page for those who may change settings. */
export function ManagerPage({
  title,
  intro,
  children,
}: {
  readonly title: string;
  readonly intro: string;
  readonly children: ComponentChildren;
}) {
  const { words, isManager } = useConsole();
  return (
    <>
      <PageTitle text={title} />
      <p class="soft">{intro}</p>
      {isManager ? children : <p class="notice">{words.common.noAccess}</p>}
    </>
  );
}

/** Rows under their headings, or what stands in their place: why they are missing, that they are on their way, that there are none. */
export function Table<Entry>({
  loaded: { data, error, reload },
  columns,
  row,
  empty,
}: {
  readonly loaded: Loaded<readonly Entry[]>;
  /** Null: the buttons of each row, whose heading only a screen reader needs. */
  readonly columns: readonly (ComponentChildren | null)[];
  readonly row: (entry: Entry) => ComponentChildren;
  readonly empty: ComponentChildren;
}) {
  const { list } = useConsole().words;
  return (
    <>
      {error !== null && (
        <div class="toolbar">
          <Failure error={error} retry={reload} />
        </div>
      )}
      {data === null && error === null && (
        <div class="empty">
          <Loading />
        </div>
      )}
      {data?.length === 0 && <div class="empty">{empty}</div>}
      {data !== null && data.length > 0 && (
        <div class="scroll">
          <table class="cards">
            <thead>
              <tr>
                {columns.map((column, at) => (
                  <th key={at} scope="col">
                    {column ?? <span class="hidden">{list.actions}</span>}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>{data.map(row)}</tbody>
          </table>
        </div>
      )}
    </>
  );
}

/** A button that sends no form. @param kind - `main`, `danger`, `quiet`, `little`, or several of them. */
export function Button({
  kind = '',
  ...attributes
}: ButtonHTMLAttributes & { readonly kind?: string }) {
  return <button type="button" class={`button ${kind}`} {...attributes} />;
}

/** A small button in a row of a table. @param subject - what it acts on, for screen readers. */
export function RowButton({
  label,
  subject,
  onClick,
}: {
  readonly label: string;
  readonly subject: string;
  readonly onClick: () => void;
}) {
  return (
    <Button kind="quiet little" onClick={onClick}>
      {label}
      <span class="hidden"> {subject}</span>
    </Button>
  );
}

/** A question mark behind a word, and what the word means below it. */
export function Explain({ term, text }: { readonly term: string; readonly text: string }) {
  const { words } = useConsole();
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  return (
    <>
      <button
        type="button"
        class="help"
        aria-expanded={isOpen}
        aria-controls={id}
        aria-label={words.common.explain(term)}
        onClick={() => setOpen(!isOpen)}
      >
        ?
      </button>
      {isOpen && (
        <span id={id} class="helptext soft">
          {text}
        </span>
      )}
    </>
  );
}

export function Failure({
  error,
  retry,
}: {
  readonly error: unknown;
  readonly retry?: () => void;
}) {
  const { words } = useConsole();
  if (error === null || error === undefined) return null;
  return (
    <div class="notice bad row apart" role="alert">
      <span>{messageOf(error, words)}</span>
      {retry !== undefined && (
        <Button kind="little" onClick={retry}>
          {words.common.retry}
        </Button>
      )}
    </div>
  );
}

export function Loading() {
  return (
    <p class="soft" role="status">
      {useConsole().words.common.loading}
    </p>
  );
}

/** The result of a completed analysis, else its status. */
export function ResultBadge({ analysis }: { readonly analysis: Analysis }) {
  const { list } = useConsole().words;
  const { status, result } = analysis.inferenceStatus;
  const verdict = result === undefined ? undefined : resultClasses[result.resultClass];
  if (status === 'completed' && verdict !== undefined) {
    return <span class={`badge ${verdict}`}>{list.results[verdict]}</span>;
  }
  return (
    <span class={`badge ${status}`}>
      {isNotStarted(analysis) ? list.notStarted : list.statuses[status]}
    </span>
  );
}

const uploadLeewayMs = 120_000;

/** One that is pending, that nobody ever touched after it was made, and that is too old to be still on its way. */
export function isNotStarted({ inferenceStatus, createdDate, updatedDate }: Analysis): boolean {
  const isUntouched = inferenceStatus.status === 'pending' && updatedDate === null;
  return isUntouched && Date.now() - Date.parse(createdDate) > uploadLeewayMs;
}

export function isAtWork({ inferenceStatus: { status } }: Analysis): boolean {
  return status === 'pending' || status === 'processing';
}

export function Dialog({
  title,
  onClose,
  children,
}: {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}) {
  const box = useRef<HTMLDialogElement>(null);
  const id = useId();
  // Before it is painted: a key pressed at once is meant for it.
  useLayoutEffect(() => box.current?.showModal(), []);
  return (
    <dialog ref={box} aria-labelledby={id} onClose={onClose}>
      <div class="stack">
        <h2 id={id}>{title}</h2>
        {children}
      </div>
    </dialog>
  );
}

export function CopyButton({ text }: { readonly text: string }) {
  const { words, toast } = useConsole();
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(text);
    toast({ text: words.common.copied });
  };
  return <Button onClick={() => void copy()}>{words.common.copy}</Button>;
}

/** Day and time as people of the language write them, in the zone of the browser. */
export function Time({ at }: { readonly at: string | null }) {
  const { language, words } = useConsole();
  if (at === null) return <>{words.common.never}</>;
  return <time dateTime={at}>{writeTime(at, language)}</time>;
}

export function writeTime(at: string, language: string): string {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return at;
  return timeWriter(language).format(date);
}

const timeWriters = new Map<string, Intl.DateTimeFormat>();

/** Making one takes as long as writing a hundred times with it. */
function timeWriter(language: string): Intl.DateTimeFormat {
  const known = timeWriters.get(language);
  if (known !== undefined) return known;
  const made = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short' });
  timeWriters.set(language, made);
  return made;
}

/** Saves text or bytes under a name. */
export function saveAs(name: string, content: Blob): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
