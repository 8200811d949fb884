import { type ComponentChildren } from 'preact';
import { useEffect, useId, useState } from 'preact/hooks';
import type { UserInfo } from '../../contract/auth.ts';
import type { SessionState } from '../../contract/session.ts';
import type { Language } from '../../contract/vocabulary.ts';
import { logIn, sessionState } from '../api/client.ts';
import { goElsewhere } from '../api/elsewhere.ts';
import { messageOf, wordsOf } from '../context.ts';
import { PageTitle } from '../parts/pieces.tsx';

export type LoginReason = 'expired' | 'loggedOut' | 'failedElsewhere' | null;

export interface LoginProps {
  readonly language: Language;
  readonly setLanguage: (language: Language) => void;
  readonly state: SessionState;
  readonly onEntered: (user: UserInfo) => void;
}

export function LoginPage(props: LoginProps & { readonly reason: LoginReason }) {
  const { language, state, reason, onEntered } = props;
  const { login, first } = wordsOf(language);
  if (state.needsFirstUser) {
    return (
      <Alone {...props} title={first.needed}>
        <p>{first.how}</p>
        <p class="soft">{first.orCommand}</p>
        <pre tabIndex={0} class="wraps">
          forensics user create you@example.org --tenant default --scope settings
        </pre>
      </Alone>
    );
  }
  return (
    <Alone {...props} title={login.title}>
      {reason !== null && (
        <p class={`notice ${reason === 'failedElsewhere' ? 'bad' : ''}`} role="status">
          {login[reason]}
        </p>
      )}
      {state.identity === 'oidc' ? (
        <Elsewhere language={language} />
      ) : (
        <PasswordForm language={language} onEntered={onEntered} />
      )}
    </Alone>
  );
}

function PasswordForm({ language, onEntered }: Pick<LoginProps, 'language' | 'onEntered'>) {
  const words = wordsOf(language);
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const { isBusy, failure, run } = useSubmit(language);
  const submit = () => run(async () => onEntered(await logIn({ email, password })));
  return (
    <form class="stack" onSubmit={submitted(submit)}>
      {failure}
      <TextField
        label={words.login.email}
        type="email"
        autocomplete="username"
        value={email}
        onValue={setEmail}
      />
      <TextField
        label={words.login.password}
        type="password"
        autocomplete="current-password"
        value={password}
        onValue={setPassword}
      />
      <button class="button main" disabled={isBusy}>
        {words.login.act}
      </button>
    </form>
  );
}

function Elsewhere({ language }: { readonly language: Language }) {
  const { login } = wordsOf(language);
  const [place, setPlace] = useState<SessionState['login']>(null);
  const { failure, run } = useSubmit(language);
  useEffect(() => void run(async () => setPlace((await sessionState()).login)), []);
  if (place === null) return failure;
  return (
    <>
      <p>{login.elsewhere(new URL(place.issuer).host)}</p>
      <button type="button" class="button main" onClick={() => void goElsewhere(place)}>
        {login.elsewhereAct}
      </button>
    </>
  );
}

/** A form is sent once at a time; why it failed stands above it. */
export function useSubmit(language: Language) {
  const [isBusy, setBusy] = useState(false);
  const [message, setMessage] = useState('');
  const run = async (act: () => Promise<void>): Promise<void> => {
    setBusy(true);
    setMessage('');
    try {
      await act();
    } catch (error) {
      setMessage(messageOf(error, wordsOf(language)));
    }
    setBusy(false);
  };
  const failure =
    message === '' ? null : (
      <p class="notice bad" role="alert">
        {message}
      </p>
    );
  return { isBusy, failure, run };
}

export function submitted(act: () => Promise<void>) {
  return (event: Event): void => {
    event.preventDefault();
    void act();
  };
}

export function TextField({
  label,
  hint,
  value,
  onValue,
  type,
  autocomplete,
}: {
  readonly label: string;
  readonly hint?: string;
  readonly type: 'text' | 'email' | 'password';
  readonly autocomplete: string;
  readonly value: string;
  readonly onValue: (value: string) => void;
}) {
  const id = useId();
  const common: Common = {
    id,
    required: true,
    autocomplete,
    value,
    onInput: ({ currentTarget }) => onValue(currentTarget.value),
    ...(hint === undefined ? {} : { 'aria-describedby': `${id}-hint` }),
  };
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {fieldOf(type, common)}
      {hint !== undefined && (
        <span id={`${id}-hint`} class="soft small">
          {hint}
        </span>
      )}
    </div>
  );
}

interface Common {
  readonly id: string;
  readonly required: boolean;
  readonly autocomplete: string;
  readonly value: string;
  readonly onInput: (event: { readonly currentTarget: HTMLInputElement }) => void;
  readonly 'aria-describedby'?: string;
}

/** Each kind by its name: the types of elements know them one by one. */
export function fieldOf(type: 'text' | 'email' | 'password', common: Common) {
  if (type === 'password') return <input type="password" {...common} />;
  return type === 'email' ? <input type="email" {...common} /> : <input type="text" {...common} />;
}

/** The one panel of a page without a session. */
export function Alone({
  title,
  language,
  setLanguage,
  children,
}: Pick<LoginProps, 'language' | 'setLanguage'> & {
  readonly title: string;
  readonly children: ComponentChildren;
}) {
  return (
    <main class="center">
      <div class="panel">
        <div class="row apart">
          <span class="brand">
            <img src={new URL('../icon.svg', import.meta.url).href} alt="" />
            forensics
          </span>
          <LanguageSwitch language={language} setLanguage={setLanguage} />
        </div>
        <PageTitle text={title} />
        {children}
      </div>
    </main>
  );
}

export function LanguageSwitch({
  language,
  setLanguage,
}: Pick<LoginProps, 'language' | 'setLanguage'>) {
  const other = language === 'en' ? 'de' : 'en';
  return (
    <button
      type="button"
      class="button quiet little"
      lang={other}
      onClick={() => setLanguage(other)}
    >
      {other === 'de' ? 'Deutsch' : 'English'}
    </button>
  );
}
