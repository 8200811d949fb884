/** Pages for visitors without a session: the login, and the first account on a new server. */

import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { SessionState, UserInfo } from '../../contract/auth.ts';
import type { Language } from '../../contract/vocabulary.ts';
import { logIn, makeFirstUser, sessionState } from '../api/client.ts';
import { goElsewhere } from '../api/elsewhere.ts';
import { wordsOf } from '../context.ts';
import { type Fields, PasswordField, TextField, useSubmit } from '../parts/form.tsx';
import { Button, PageTitle } from '../parts/pieces.tsx';

export type LoginReason = 'expired' | 'loggedOut' | 'failedElsewhere' | null;

interface LoginProps {
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
        <pre tabIndex={0} class="prose">
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
        <Elsewhere {...props} />
      ) : (
        <PasswordForm language={language} onEntered={onEntered} />
      )}
    </Alone>
  );
}

function PasswordForm({ language, onEntered }: Pick<LoginProps, 'language' | 'onEntered'>) {
  const words = wordsOf(language);
  const { isBusy, failure, onSubmit } = useSubmit(language);
  const send = async (credentials: Fields) => onEntered(await logIn(credentials));
  return (
    <form class="stack" onSubmit={onSubmit(send)}>
      {failure}
      <EmailField label={words.login.email} />
      <PasswordField label={words.login.password} name="password" />
      <button class="button main" disabled={isBusy}>
        {words.login.title}
      </button>
    </form>
  );
}

function EmailField({ label }: { readonly label: string }) {
  return <TextField label={label} name="email" type="email" required autocomplete="username" />;
}

function Elsewhere({ language, reason }: Parameters<typeof LoginPage>[0]) {
  const { login } = wordsOf(language);
  const [place, setPlace] = useState<SessionState['login']>(null);
  const { failure, submit } = useSubmit(language);
  useEffect(() => void submit(async () => setPlace((await sessionState()).login)), []);
  if (place === null) return failure;
  const mustIdentify = reason === 'loggedOut' || reason === 'failedElsewhere';
  return (
    <>
      <p>{login.elsewhere(new URL(place.issuer).host)}</p>
      <Button kind="main" onClick={() => void goElsewhere(place, mustIdentify)}>
        {login.elsewhereAct}
      </Button>
    </>
  );
}

/** Where the one-time link of `forensics serve` leads. */
export function FirstUserPage(props: LoginProps & { readonly token: string }) {
  const { language, token, onEntered } = props;
  const { first, login } = wordsOf(language);
  const { isBusy, failure, onSubmit } = useSubmit(language);
  const send = async ({ name, ...credentials }: Fields): Promise<void> => {
    await makeFirstUser({ token, name, ...credentials });
    const user = await logIn(credentials);
    // The token has been used up and must not stay in the browser history.
    history.replaceState(null, '', '/#/analyses');
    dispatchEvent(new HashChangeEvent('hashchange'));
    onEntered(user);
  };
  return (
    <Alone {...props} title={first.title}>
      <p class="soft">{first.intro}</p>
      <form class="stack" onSubmit={onSubmit(send)}>
        {failure}
        <TextField label={first.name} name="name" required autocomplete="name" />
        <EmailField label={login.email} />
        <PasswordField label={login.password} name="password" hint={first.passwordHint} isNew />
        <button class="button main" disabled={isBusy}>
          {first.act}
        </button>
      </form>
    </Alone>
  );
}

interface AloneProps extends Pick<LoginProps, 'language' | 'setLanguage'> {
  readonly title: string;
  readonly children: ComponentChildren;
}

export function Alone({ title, language, setLanguage, children }: AloneProps) {
  return (
    <main class="center">
      <div class="panel">
        <div class="row apart">
          <Brand />
          <LanguageSwitch language={language} setLanguage={setLanguage} />
        </div>
        <PageTitle text={title} />
        {children}
      </div>
    </main>
  );
}

export function Brand() {
  return (
    <a class="row brand" href="#/analyses">
      <img src={new URL('../icon.svg', import.meta.url).href} alt="" width={24} height={24} />
      forensics
    </a>
  );
}

export function LanguageSwitch({
  language,
  setLanguage,
}: Pick<LoginProps, 'language' | 'setLanguage'>) {
  const other = language === 'en' ? 'de' : 'en';
  return (
    <Button kind="quiet little" lang={other} onClick={() => setLanguage(other)}>
      {other === 'de' ? 'Deutsch' : 'English'}
    </Button>
  );
}
