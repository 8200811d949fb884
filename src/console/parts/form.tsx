/** Labelled fields, forms in panels and dialogs, and how they are submitted. */

import type { ComponentChildren, PartialInputHTMLAttributes, TargetedSubmitEvent } from 'preact';
import { useContext, useId, useState } from 'preact/hooks';
import { type DecisionStrategy, isKeyOf } from '../../contract/vocabulary.ts';
import { wordsIn } from '../../present/wording/catalogue.ts';
import { messageOf, SessionContext, useConsole, useWords } from '../context.ts';
import { Button, Dialog, Panel } from './pieces.tsx';

export type InputProps = Omit<
  PartialInputHTMLAttributes<HTMLInputElement>,
  'label' | 'role' | 'type'
>;

interface Labelled {
  readonly label: string;
  readonly hint?: string | undefined;
}

interface FieldProps extends Labelled {
  readonly children: (attributes: { id: string; 'aria-describedby'?: string }) => ComponentChildren;
}

/** @param children - the control, which takes these attributes. */
export function Field({ label, hint, children }: FieldProps) {
  const id = useId();
  const described = hint === undefined ? {} : { 'aria-describedby': `${id}-hint` };
  return (
    <div class="field">
      <label class="soft small" for={id}>
        {label}
      </label>
      {children({ id, ...described })}
      {hint !== undefined && (
        <span id={`${id}-hint`} class="soft small">
          {hint}
        </span>
      )}
    </div>
  );
}

/** If it has a `name`, the form sends the text; if it has `value` and `onValue`, the page keeps the text. */
interface TextFieldProps extends Labelled, InputProps {
  readonly type?: 'text' | 'email' | 'password' | 'search' | 'url' | 'date';
  readonly onValue?: (value: string) => void;
}

export function TextField({ label, hint, onValue, type = 'text', ...more }: TextFieldProps) {
  const take = ({ currentTarget }: { readonly currentTarget: HTMLInputElement }) =>
    onValue?.(currentTarget.value);
  // A date is reported once it is complete; text is reported after every letter.
  const events: object = type === 'date' ? { type, onChange: take } : { type, onInput: take };
  return (
    <Field label={label} hint={hint}>
      {(attributes) => <input {...attributes} {...events} {...more} />}
    </Field>
  );
}

/** @param isNew - whether it is a new password, which browsers then offer to generate. */
export function PasswordField({ isNew = false, ...props }: TextFieldProps & { isNew?: boolean }) {
  const autocomplete = isNew ? 'new-password' : 'current-password';
  return <TextField type="password" required autocomplete={autocomplete} {...props} />;
}

interface SelectFieldProps<Value extends string> extends Labelled {
  readonly options: Readonly<Record<Value, string>>;
  readonly value: Value;
  readonly name?: string;
  readonly onValue?: (value: Value) => void;
}

export function SelectField<Value extends string>(props: SelectFieldProps<Value>) {
  const { label, hint, options, value, name, onValue } = props;
  return (
    <Field label={label} hint={hint}>
      {(attributes) => (
        <select
          {...attributes}
          name={name}
          onChange={({ currentTarget }) =>
            isKeyOf(options, currentTarget.value) && onValue?.(currentTarget.value)
          }
        >
          {Object.entries<string>(options).map(([each, text]) => (
            <option key={each} value={each} selected={each === value}>
              {text}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

type Period = Partial<Record<'from' | 'to', string>>;

export function PeriodFields(props: { period: Period; onDay?: (day: Period) => void }) {
  const { period, onDay } = props;
  const { list } = useConsole();
  return (['from', 'to'] as const).map((end) => {
    const field = { label: list[end], name: end, defaultValue: period[end] ?? '' };
    return (
      <TextField key={end} {...field} type="date" onValue={(day) => onDay?.({ [end]: day })} />
    );
  });
}

export function StrategyField(
  props: Omit<SelectFieldProps<DecisionStrategy>, 'label' | 'options'>,
) {
  const { upload, language } = useConsole();
  const { strategy } = wordsIn(language).labels.rows;
  return <SelectField label={strategy} options={upload.strategies} {...props} />;
}

type OnChecked = (isChecked: boolean) => void;

export function CheckField(props: InputProps & { label: string; onChecked?: OnChecked }) {
  const { label, onChecked, ...more } = props;
  return (
    <label class="row">
      <input
        type="checkbox"
        {...more}
        onChange={({ currentTarget }) => onChecked?.(currentTarget.checked)}
      />
      {label}
    </label>
  );
}

/** The texts of a form by field name. A tick box that is not ticked is missing. */
export type Fields = Readonly<Record<string, string>>;

export function readFields(form: HTMLFormElement): Fields {
  return Object.fromEntries(
    [...new FormData(form)].filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string',
    ),
  );
}

type Send = (fields: Fields, form: HTMLFormElement) => Promise<unknown>;

/** Runs one action at a time, then shows the text it returned for a few seconds. */
function useRun(onFailure: (message: string) => void) {
  const { common } = useWords();
  const session = useContext(SessionContext);
  const [isBusy, setBusy] = useState(false);
  const run = async (act: () => Promise<unknown>): Promise<void> => {
    setBusy(true);
    try {
      const text = await act();
      if (typeof text === 'string') session?.toast(text);
    } catch (error) {
      onFailure(messageOf(error, common));
    }
    setBusy(false);
  };
  return { isBusy, run };
}

/** Sends one form at a time; `failure`, shown above the fields, says why the last attempt failed. */
export function useSubmit() {
  const [message, setMessage] = useState('');
  const { isBusy, run } = useRun(setMessage);
  const submit = (send: () => Promise<unknown>): void => {
    setMessage('');
    void run(send);
  };
  const failure = message !== '' && (
    <p class="notice bad" role="alert">
      {message}
    </p>
  );
  return { isBusy, failure, submit };
}

/** Shows for a few seconds what the action returned, or why it failed. @param after - called even after a failure. */
export function useAct(after: () => void = () => undefined) {
  const { isBusy, run } = useRun(useConsole().toast);
  return { isBusy, run: (act: () => Promise<unknown>) => void run(act).then(after) };
}

interface FormProps {
  /** Text of its button; null if nothing may be changed. */
  readonly act: string | null;
  /** `main` or `danger`. */
  readonly kind?: string;
  readonly send: Send;
  /** Shown for a few seconds once it has been sent. */
  readonly done?: string | undefined;
  readonly children: ComponentChildren;
  /** Called by a second button, which closes the form. */
  readonly close?: () => void;
}

export function Form({ act, kind = '', send, done, children, close }: FormProps) {
  const { common } = useWords();
  const { isBusy, failure, submit } = useSubmit();
  const onSubmit = (event: TargetedSubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    submit(() => send(readFields(form), form).then(() => done));
  };
  return (
    <form class="stack form" onSubmit={onSubmit}>
      {failure}
      {children}
      <div class="row">
        {act !== null && (
          <button class={`button ${kind}`} disabled={isBusy}>
            {act}
          </button>
        )}
        {close && <Button onClick={close}>{common.cancel}</Button>}
      </div>
    </form>
  );
}

/** A panel that saves part of a page. */
export function FormPanel(props: FormProps & { readonly title: string; readonly intro?: string }) {
  const { title, intro, ...form } = props;
  return (
    <Panel title={title}>
      {intro !== undefined && <p class="soft">{intro}</p>}
      <Form {...form} />
    </Panel>
  );
}

export interface Question extends Omit<FormProps, 'close'> {
  readonly title: string;
}

/** A dialog that asks for values, or for confirmation. @param after - called when its form has been sent. */
export function useQuestion(after: () => void) {
  const [asked, ask] = useState<Question | null>(null);
  const close = () => ask(null);
  const send: Send = async (fields, form) => {
    try {
      await asked?.send(fields, form);
      close();
    } finally {
      // Part of it may have been done before it failed.
      after();
    }
  };
  const dialog = asked && (
    <Dialog title={asked.title} onClose={close}>
      <Form kind="main" {...asked} send={send} close={close} />
    </Dialog>
  );
  return { ask, dialog };
}
