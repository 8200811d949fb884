/** The person: language, appearance, password, sessions, and a word to the administrators. */

import { useState } from 'preact/hooks';
import { languages } from '../../contract/vocabulary.ts';
import { ask, logOut } from '../api/client.ts';
import { applyTheme, rememberedTheme, themes, useConsole } from '../context.ts';
import { Field, PageTitle } from '../parts/pieces.tsx';
import { submitted, TextField, useSubmit } from './login.tsx';

const languageNames = { en: 'English', de: 'Deutsch' } as const;

export function AccountPage() {
  const { words, user, isManager, language, setLanguage, identity, leave } = useConsole();
  const { account } = words;
  const [theme, setTheme] = useState(rememberedTheme);
  return (
    <>
      <PageTitle text={account.title} />
      <section class="panel">
        <dl class="facts">
          <dt>{words.first.name}</dt>
          <dd>{user.name ?? '–'}</dd>
          <dt>{words.login.email}</dt>
          <dd>{user.email}</dd>
          <dt>{account.rights}</dt>
          <dd>{isManager ? account.mayChange : account.mayNotChange}</dd>
        </dl>
        <div class="columns">
          <Field label={account.language}>
            {(id) => (
              <select
                id={id}
                value={language}
                onChange={({ currentTarget }) =>
                  setLanguage(currentTarget.value === 'de' ? 'de' : 'en')
                }
              >
                {languages.map((each) => (
                  <option key={each} value={each} lang={each}>
                    {languageNames[each]}
                  </option>
                ))}
              </select>
            )}
          </Field>
          <Field label={account.theme}>
            {(id) => (
              <select
                id={id}
                value={theme}
                onChange={({ currentTarget: { value } }) => {
                  const next = themes.find((each) => each === value) ?? 'system';
                  applyTheme(next);
                  setTheme(next);
                }}
              >
                {themes.map((each) => (
                  <option key={each} value={each}>
                    {account.themes[each]}
                  </option>
                ))}
              </select>
            )}
          </Field>
        </div>
      </section>
      <section class="panel">
        <h2>{account.sessions}</h2>
        <div class="row">
          <button type="button" class="button" onClick={() => void logOut(false).then(leave)}>
            {words.nav.logOut}
          </button>
          <button type="button" class="button danger" onClick={() => void logOut(true).then(leave)}>
            {account.everywhere}
          </button>
        </div>
      </section>
      {identity === 'embedded' && <PasswordForm />}
      <FeedbackForm />
    </>
  );
}

function PasswordForm() {
  const { words, language, toast } = useConsole();
  const { account } = words;
  const [currentPassword, setCurrent] = useState('');
  const [newPassword, setNew] = useState('');
  const { isBusy, failure, run } = useSubmit(language);
  const submit = () =>
    run(async () => {
      const body = { currentPassword, newPassword };
      await ask('/v1/auth/change-password', { method: 'POST', body });
      setCurrent('');
      setNew('');
      toast({ text: account.changed });
    });
  return (
    <form class="panel" onSubmit={submitted(submit)}>
      <h2>{account.password}</h2>
      {failure}
      <div class="form">
        <TextField
          label={account.current}
          type="password"
          autocomplete="current-password"
          value={currentPassword}
          onValue={setCurrent}
        />
        <TextField
          label={account.fresh}
          hint={words.first.passwordHint}
          type="password"
          autocomplete="new-password"
          value={newPassword}
          onValue={setNew}
        />
        <button class="button" disabled={isBusy}>
          {words.common.save}
        </button>
      </div>
    </form>
  );
}

function FeedbackForm() {
  const { words, language, toast, user, tenantName } = useConsole();
  const { account } = words;
  const [message, setMessage] = useState('');
  const { isBusy, failure, run } = useSubmit(language);
  const submit = () =>
    run(async () => {
      const name = user.name ?? user.email;
      const body = { url: location.href, name, tenantName, email: user.email, message };
      await ask('/v1/feedback', { method: 'POST', body });
      setMessage('');
      toast({ text: account.sent });
    });
  return (
    <form class="panel" onSubmit={submitted(submit)}>
      <h2>{account.feedback}</h2>
      {failure}
      <div class="form">
        <Field label={account.message}>
          {(id) => (
            <textarea
              id={id}
              required
              maxLength={10_000}
              value={message}
              onInput={({ currentTarget }) => setMessage(currentTarget.value)}
            />
          )}
        </Field>
        <button class="button" disabled={isBusy}>
          {account.send}
        </button>
      </div>
    </form>
  );
}
