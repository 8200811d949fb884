import { useState } from 'preact/hooks';
import { logIn, makeFirstUser } from '../api/client.ts';
import { wordsOf } from '../context.ts';
import { TextField, useSubmit } from '../parts/form.tsx';
import { Alone, type LoginProps } from './login.tsx';

/** Where the one-time link of `forensics serve` leads. */
export function FirstUserPage(props: LoginProps & { readonly token: string }) {
  const { language, token, onEntered } = props;
  const { first, login } = wordsOf(language);
  const [name, setName] = useState('');
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const { isBusy, failure, onSubmit } = useSubmit(language);
  const send = async (): Promise<void> => {
    await makeFirstUser({ token, email, password, ...(name === '' ? {} : { name }) });
    const user = await logIn({ email, password });
    // The token works once: it is used up, and must not stay in the history.
    history.replaceState(null, '', '/#/analyses');
    dispatchEvent(new HashChangeEvent('hashchange'));
    onEntered(user);
  };
  return (
    <Alone {...props} title={first.title}>
      <p class="soft">{first.intro}</p>
      <form class="stack" onSubmit={onSubmit(send)}>
        {failure}
        <TextField label={first.name} required autocomplete="name" value={name} onValue={setName} />
        <TextField
          label={login.email}
          type="email"
          required
          autocomplete="username"
          value={email}
          onValue={setEmail}
        />
        <TextField
          label={login.password}
          hint={first.passwordHint}
          type="password"
          required
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
