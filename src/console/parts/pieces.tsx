/** Small components that several pages use. */

import { type ButtonHTMLAttributes, type ComponentChildren, Fragment } from 'preact';
import { useEffect, useLayoutEffect, useId, useRef } from 'preact/hooks';
import type { Analysis } from '../../contract/analysis.ts';
import { notStarted } from '../../contract/vocabulary.ts';
import { wordsIn } from '../../present/wording/catalogue.ts';
import { messageOf, useConsole } from '../context.ts';
import type { Loaded } from './loading.ts';
import { readClass, writeTime } from './verdict.ts';

export function useTitle(text: string): void {
  useEffect(() => {
    document.title = `${text} · forensics`;
  }, [text]);
}

export function PageTitle({ text }: { readonly text: string }) {
  useTitle(text);
  return <h1>{text}</h1>;
}

interface PanelProps {
  readonly title?: string;
  readonly children: ComponentChildren;
  readonly lang?: string;
}

export function Panel({ title, children, ...attributes }: PanelProps) {
  return (
    <section class="panel" {...attributes}>
      {title !== undefined && <h2>{title}</h2>}
      {children}
    </section>
  );
}

export type Fact = readonly [label: ComponentChildren, value: ComponentChildren];

/** Labels and their values; rows with an empty value are left out. */
export function Facts({ rows }: { readonly rows: readonly Fact[] }) {
  return (
    <dl class="facts">
      {rows
        .filter(([, value]) => value !== '' && value !== null)
        .map(([label, value], at) => (
          <Fragment key={at}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </Fragment>
        ))}
    </dl>
  );
}

export function Dots({ items, kind = '' }: { items: readonly ComponentChildren[]; kind?: string }) {
  return (
    <ul class={`stack ${kind}`}>
      {items.map((item, at) => (
        <li key={at}>{item}</li>
      ))}
    </ul>
  );
}

/** The loaded data; until then a loading message, or the error. */
export function Awaited<T>(props: {
  readonly loaded: Loaded<T>;
  readonly children: (data: T) => ComponentChildren;
}) {
  const { data, error, reload } = props.loaded;
  const { common } = useConsole();
  return (
    <>
      {error !== null && (
        <div class="notice bad row apart" role="alert">
          <span>{messageOf(error, common)}</span>
          <Button kind="little" onClick={reload}>
            {common.retry}
          </Button>
        </div>
      )}
      {data === null && error === null && (
        <p class="toolbar soft" role="status">
          {common.loading}
        </p>
      )}
      {data !== null && props.children(data)}
    </>
  );
}

/** A button that does not submit a form. @param kind - `main`, `danger`, `quiet`, `little`, or several of them. */
export function Button({ kind = '', ...attributes }: ButtonHTMLAttributes & { kind?: string }) {
  return <button type="button" class={`button ${kind}`} {...attributes} />;
}

/** A button as data; one that is not offered is false. */
export type Act = false | readonly [label: string, act: () => void, kind?: string];

interface ButtonsProps {
  readonly acts: readonly Act[];
  /** As of `Button`, for those that have none of their own. */
  readonly kind?: string;
  readonly disabled?: boolean;
  /** What they act on, for screen readers. */
  readonly subject?: string;
}

export function Buttons({ acts, kind = '', disabled = false, subject }: ButtonsProps) {
  return (
    <div class="row">
      {acts.map((each) => {
        if (each === false) return null;
        const [label, act, own = kind] = each;
        return (
          <Button key={label} kind={own} disabled={disabled} onClick={act}>
            {label}
            {subject !== undefined && <span class="hidden"> {subject}</span>}
          </Button>
        );
      })}
    </div>
  );
}

interface ChoicesProps<Id extends string> {
  readonly label: string;
  readonly ids: readonly Id[];
  readonly texts: Readonly<Record<Id, string>>;
  readonly chosen: Id | undefined;
  readonly onChoose: (id: Id) => void;
  readonly kind?: string;
}

export function Choices<Id extends string>(props: ChoicesProps<Id>) {
  const { label, ids, texts, chosen, onChoose, kind = 'little' } = props;
  return (
    <div class="row" role="group" aria-label={label}>
      {ids.map((id) => (
        <Button key={id} kind={kind} aria-pressed={id === chosen} onClick={() => onChoose(id)}>
          {texts[id]}
        </Button>
      ))}
    </div>
  );
}

export function AnalysisLink({ id, name }: Pick<Analysis, 'id' | 'name'>) {
  return (
    <a href={`#/analysis/${id}`} title={name}>
      <bdi>{name}</bdi>
    </a>
  );
}

/** The result of a completed analysis, otherwise its status; needs no evidence, which lists do not have. */
export function ResultBadge({ analysis }: { readonly analysis: Analysis }) {
  const { list, language } = useConsole();
  const { status } = analysis.inferenceStatus;
  const verdict = readClass(analysis);
  if (verdict !== null) return <span class={`badge ${verdict}`}>{list.results[verdict]}</span>;
  return (
    <span class={`badge ${status}`}>
      {isNotStarted(analysis) ? wordsIn(language).cases.notStarted : list.statuses[status]}
    </span>
  );
}

const uploadLeewayMs = 120_000;

/** Never started, and too old to be an upload in progress. */
export function isNotStarted({
  inferenceStatus,
  createdDate,
}: Pick<Analysis, 'createdDate'> & {
  readonly inferenceStatus: Pick<Analysis['inferenceStatus'], 'statusMessage'>;
}): boolean {
  const isOld = Date.now() - Date.parse(createdDate) > uploadLeewayMs;
  return isOld && inferenceStatus.statusMessage === notStarted;
}

/** Waiting for a worker or being examined, so that removing it stops work. */
export function isAtWork(analysis: Analysis): boolean {
  const { status } = analysis.inferenceStatus;
  return status === 'processing' || (status === 'pending' && !isNotStarted(analysis));
}

export function isCompleted({ inferenceStatus }: Analysis): boolean {
  return inferenceStatus.status === 'completed';
}

export function isFailed({ inferenceStatus }: Analysis): boolean {
  return inferenceStatus.status === 'failed';
}

export function isUpgradable(analysis: Analysis): boolean {
  return isCompleted(analysis) && analysis.input.options.tier === 'flagging';
}

export function Dialog({ title, onClose, children }: PanelProps & { onClose: () => void }) {
  const box = useRef<HTMLDialogElement>(null);
  const id = useId();
  // Opened before the browser paints, so that a key pressed immediately goes to the dialog.
  useLayoutEffect(() => box.current?.showModal(), []);
  return (
    <dialog ref={box} class="panel" aria-labelledby={id} onClose={onClose}>
      <h2 id={id}>{title}</h2>
      {children}
    </dialog>
  );
}

/** A time in the browser's time zone, which is shown too. */
export function Time({ at }: { readonly at: string | null }) {
  const { common, language } = useConsole();
  if (at === null) return <>{common.never}</>;
  return <time dateTime={at}>{writeTime(at, language)}</time>;
}
