/** Accounts: the login, the first account on a new server, and the user's own. */

import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { SessionState, UserInfo } from '../../contract/auth.ts';
import { ask, goElsewhere, logIn, logOut, makeFirstUser, sessionState } from '../api/client.ts';
import { useConsole, useWords } from '../context.ts';
import {
  Field,
  type Fields,
  Form,
  FormPanel,
  PasswordField,
  TextField,
  useAct,
  useSubmit,
} from '../parts/form.tsx';
import { Button, Facts, PageTitle, Panel } from '../parts/pieces.tsx';

export type LoginReason = 'expired' | 'loggedOut' | 'failedElsewhere' | null;

interface LoginProps {
  readonly state: SessionState;
  readonly reason: LoginReason;
  /** From the one-time link of `forensics serve`; null without one. */
  readonly token: string | null;
  readonly onEntered: (user: UserInfo) => void;
}

export function LoginPage({ state, reason, token, onEntered }: LoginProps) {
  const { login, first } = useWords();
  if (state.needsFirstUser && token !== null) {
    return <FirstUserPage token={token} onEntered={onEntered} />;
  }
  if (state.needsFirstUser) {
    return (
      <Alone title={first.needed}>
        <p>{first.how}</p>
        <p class="soft">{first.orCommand}</p>
        <pre tabIndex={0} class="prose">
          forensics user create you@example.org --tenant default --scope settings
        </pre>
      </Alone>
    );
  }
  const send = async (credentials: Fields) => onEntered(await logIn(credentials));
  return (
    <Alone title={login.title}>
      {reason !== null && (
        <p class={`notice ${reason === 'failedElsewhere' ? 'bad' : ''}`} role="status">
          {login[reason]}
        </p>
      )}
      {state.identity === 'oidc' ? (
        <Elsewhere mustIdentify={reason === 'loggedOut' || reason === 'failedElsewhere'} />
      ) : (
        <Form act={login.title} kind="main" send={send}>
          <EmailField />
          <PasswordField label={login.password} name="password" />
        </Form>
      )}
    </Alone>
  );
}

function EmailField() {
  const { email } = useWords().login;
  return <TextField label={email} name="email" type="email" required autocomplete="username" />;
}

function Elsewhere({ mustIdentify }: { readonly mustIdentify: boolean }) {
  const { login } = useWords();
  const [place, setPlace] = useState<SessionState['login']>(null);
  const { failure, submit } = useSubmit();
  useEffect(() => submit(async () => setPlace((await sessionState()).login)), []);
  if (place === null) return failure;
  return (
    <>
      <p>{login.elsewhere(new URL(place.issuer).host)}</p>
      <Button kind="main" onClick={() => void goElsewhere(place, mustIdentify)}>
        {login.elsewhereAct}
      </Button>
    </>
  );
}

function FirstUserPage({ token, onEntered }: Pick<LoginProps, 'token' | 'onEntered'>) {
  const { first, login } = useWords();
  const send = async ({ name, ...credentials }: Fields): Promise<void> => {
    await makeFirstUser({ token, name, ...credentials });
    const user = await logIn(credentials);
    // The token has been used up and must not stay in the browser history.
    history.replaceState(null, '', '/#/analyses');
    dispatchEvent(new HashChangeEvent('hashchange'));
    onEntered(user);
  };
  return (
    <Alone title={first.title}>
      <p class="soft">{first.intro}</p>
      <Form act={first.act} kind="main" send={send}>
        <TextField label={first.name} name="name" required autocomplete="name" />
        <EmailField />
        <PasswordField label={login.password} name="password" hint={first.passwordHint} isNew />
      </Form>
    </Alone>
  );
}

export function AccountPage() {
  const { login, first, common, nav, account, users, ...session } = useConsole();
  const { user, tenantName, isManager, identity, leave } = session;
  const { isBusy, run } = useAct();
  const sendFeedback = async ({ message }: Fields, form: HTMLFormElement): Promise<void> => {
    const name = user.name ?? user.email;
    const body = { url: location.href, name, tenantName, email: user.email, message };
    await ask('/v1/feedback', { body });
    form.reset();
  };
  const passwords = { title: account.password, act: common.save, done: account.changed };
  const feedback = { title: account.feedback, act: account.send, done: account.sent };
  return (
    <>
      <PageTitle text={nav.account} />
      <Panel>
        <Facts
          rows={[
            [first.name, user.name ?? '–'],
            [login.email, user.email],
            [account.rights, isManager ? account.mayChange : account.mayNotChange],
          ]}
        />
        <Button kind="danger" disabled={isBusy} onClick={() => run(() => logOut(true).then(leave))}>
          {account.everywhere}
        </Button>
      </Panel>
      {identity === 'embedded' && (
        <FormPanel
          {...passwords}
          send={async (body, form) => {
            await ask('/v1/auth/change-password', { body });
            form.reset();
          }}
        >
          <PasswordField label={account.current} name="currentPassword" />
          <PasswordField label={users.reset} name="newPassword" hint={first.passwordHint} isNew />
        </FormPanel>
      )}
      <FormPanel {...feedback} send={sendFeedback}>
        <Field label={account.message}>
          {(attributes) => (
            <textarea {...attributes} name="message" required rows={5} maxLength={10_000} />
          )}
        </Field>
      </FormPanel>
    </>
  );
}

export function Alone({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <main class="center">
      <div class="panel">
        <div class="row apart">
          <Brand />
          <LanguageSwitch />
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

export function LanguageSwitch() {
  const { language, setLanguage } = useWords();
  const other = language === 'en' ? 'de' : 'en';
  return (
    <Button kind="quiet little" lang={other} onClick={() => setLanguage(other)}>
      {other === 'de' ? 'Deutsch' : 'English'}
    </Button>
  );
}
