import { useState } from 'preact/hooks';
import { logIn, makeFirstUser } from '../api/client.ts';
import { wordsOf } from '../context.ts';
import { Alone, type LoginProps, submitted, TextField, useSubmit } from './login.tsx';

/** Where the one-time link of `forensics serve` leads. */
export function FirstUserPage(props: LoginProps & { readonly token: string }) {
  const { language, token, onEntered } = props;
  const { first, login } = wordsOf(language);
  const [name, setName] = useState('');
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const { isBusy, failure, run } = useSubmit(language);
  const submit = () =>
    run(async () => {
      await makeFirstUser({ token, email, password, ...(name === '' ? {} : { name }) });
      const user = await logIn({ email, password });
      // The token is worth nothing now, and does not belong into the history.
      history.replaceState(null, '', '/#/analyses');
      dispatchEvent(new HashChangeEvent('hashchange'));
      onEntered(user);
    });
  return (
    <Alone {...props} title={first.title}>
      <p class="soft">{first.intro}</p>
      <form class="stack" onSubmit={submitted(submit)}>
        {failure}
        <TextField
          label={first.name}
          type="text"
          autocomplete="name"
          value={name}
          onValue={setName}
        />
        <TextField
          label={login.email}
          type="email"
          autocomplete="username"
          value={email}
          onValue={setEmail}
        />
        <TextField
          label={login.password}
          hint={first.passwordHint}
          type="password"
          autocomplete="new-password"
          value={password}
          onValue={setPassword}
        />
        <button class="button main" disabled={isBusy}>
          {first.act}
        </button>
      </form>
    </Alone>
  );
}
