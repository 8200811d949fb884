/** The people of the tenant: added, given the right to change settings, given a new password, disabled. */

import { useState } from 'preact/hooks';
import type { TenantPerson } from '../../contract/people.ts';
import { ask } from '../api/client.ts';
import { messageOf, useConsole } from '../context.ts';
import { type Loaded, useLoaded } from '../parts/loading.ts';
import { Dialog, Field, PageTitle, Table, Time } from '../parts/pieces.tsx';
import { submitted, TextField, useSubmit } from './login.tsx';

const path = '/v1/tenant/user';
const settings = 'settings';

type Open =
  | { readonly is: 'create' }
  | { readonly is: 'edit' | 'reset' | 'disable'; readonly person: TenantPerson };

export function UsersPage() {
  const { words, isManager, identity } = useConsole();
  const { users } = words;
  if (isManager && identity === 'embedded') return <People />;
  return (
    <>
      <PageTitle text={users.title} />
      <p class="notice">{isManager ? users.elsewhere : words.common.noAccess}</p>
    </>
  );
}

function People() {
  const { words, tenantName, toast } = useConsole();
  const { users } = words;
  const [open, setOpen] = useState<Open | null>(null);
  const loaded = useLoaded(`users ${tenantName}`, {
    load: async (signal) =>
      (
        await ask<{ readonly data: readonly TenantPerson[] }>(path, {
          query: { tenantName },
          signal,
        })
      ).data,
  });
  const done = (text: string | null) => {
    setOpen(null);
    if (text === null) return;
    toast({ text });
    loaded.reload();
  };
  const enable = async ({ id }: TenantPerson): Promise<void> => {
    try {
      await ask(`${path}/enable`, { method: 'POST', body: { tenantName, id } });
      done(users.enabled);
    } catch (failure) {
      toast({ text: messageOf(failure, words) });
    }
  };
  return (
    <>
      <div class="row apart">
        <PageTitle text={users.title} />
        <button type="button" class="button main" onClick={() => setOpen({ is: 'create' })}>
          {users.create}
        </button>
      </div>
      <p class="soft">{users.intro}</p>
      <section class="panel flush" aria-label={users.title}>
        <Rows loaded={loaded} setOpen={setOpen} enable={(person) => void enable(person)} />
      </section>
      {open?.is === 'create' && <CreateDialog onDone={done} />}
      {open?.is === 'edit' && <EditDialog person={open.person} onDone={done} />}
      {open?.is === 'reset' && <PasswordDialog person={open.person} onDone={done} />}
      {open?.is === 'disable' && <DisableDialog person={open.person} onDone={done} />}
    </>
  );
}

function Rows({
  loaded,
  setOpen,
  enable,
}: {
  readonly loaded: Loaded<readonly TenantPerson[]>;
  readonly setOpen: (open: Open) => void;
  readonly enable: (person: TenantPerson) => void;
}) {
  const { words, user } = useConsole();
  const { users, account } = words;
  return (
    <Table
      loaded={loaded}
      empty={null}
      columns={[users.person, users.right, users.state, users.lastLogin, null]}
      row={(person) => (
        <tr key={person.id}>
          <td class="name">
            <bdi>{person.name ?? person.email}</bdi>{' '}
            {person.id === user.id && <span class="tag">{users.own}</span>}
            {person.name !== null && (
              <>
                <br />
                <bdi class="small soft">{person.email}</bdi>
              </>
            )}
          </td>
          <td class="small">
            {person.scopes.includes(settings) ? account.mayChange : account.mayNotChange}
          </td>
          <td>
            <span class={`badge ${person.isDisabled ? 'failed' : 'ok'}`}>
              {person.isDisabled ? users.disabled : users.active}
            </span>
          </td>
          <td class="small soft" data-label={users.lastLogin}>
            <Time at={person.lastLoginDate} />
          </td>
          <td class="acts wide">
            {person.isManageable ? (
              <Acts person={person} setOpen={setOpen} enable={enable} />
            ) : (
              person.id !== user.id && <span class="small soft">{users.others}</span>
            )}
          </td>
        </tr>
      )}
    />
  );
}

function Acts({
  person,
  setOpen,
  enable,
}: {
  readonly person: TenantPerson;
  readonly setOpen: (open: Open) => void;
  readonly enable: (person: TenantPerson) => void;
}) {
  const { users } = useConsole().words;
  const acts: readonly (readonly [string, () => void])[] = [
    [users.edit, () => setOpen({ is: 'edit', person })],
    [users.reset, () => setOpen({ is: 'reset', person })],
    person.isDisabled
      ? [users.enable, () => enable(person)]
      : [users.disable, () => setOpen({ is: 'disable', person })],
  ];
  return (
    <div class="row">
      {acts.map(([label, act]) => (
        <button key={label} type="button" class="button quiet little" onClick={act}>
          {label}
          <span class="hidden"> {person.email}</span>
        </button>
      ))}
    </div>
  );
}

interface DialogProps {
  /** With what was done; null for nothing. */
  readonly onDone: (text: string | null) => void;
}

function Buttons({
  act,
  isBusy,
  isDanger = false,
  onDone,
}: DialogProps & {
  readonly act: string;
  readonly isBusy: boolean;
  readonly isDanger?: boolean;
}) {
  const { common } = useConsole().words;
  return (
    <div class="row">
      <button class={isDanger ? 'button danger' : 'button main'} disabled={isBusy}>
        {act}
      </button>
      <button type="button" class="button" onClick={() => onDone(null)}>
        {common.cancel}
      </button>
    </div>
  );
}

function RightBox({
  isChecked,
  setChecked,
}: {
  readonly isChecked: boolean;
  readonly setChecked: (isChecked: boolean) => void;
}) {
  return (
    <label class="check">
      <input
        type="checkbox"
        checked={isChecked}
        onChange={({ currentTarget }) => setChecked(currentTarget.checked)}
      />
      {useConsole().words.users.mayChange}
    </label>
  );
}

function CreateDialog({ onDone }: DialogProps) {
  const { words, tenantName, language } = useConsole();
  const { users, common } = words;
  const [email, setEmail] = useState('');
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  const [mayChange, setMayChange] = useState(false);
  const { isBusy, failure, run } = useSubmit(language);
  const submit = () =>
    run(async () => {
      const scopes = mayChange ? [settings] : [];
      const named = name.trim() === '' ? {} : { name: name.trim() };
      await ask(path, { method: 'POST', body: { tenantName, email, password, scopes, ...named } });
      onDone(common.saved);
    });
  return (
    <Dialog title={users.create} onClose={() => onDone(null)}>
      <form class="stack" onSubmit={submitted(submit)}>
        {failure}
        <TextField
          label={users.email}
          type="email"
          autocomplete="off"
          value={email}
          onValue={setEmail}
        />
        <OptionalName value={name} onValue={setName} />
        <TextField
          label={users.password}
          hint={words.first.passwordHint}
          type="password"
          autocomplete="new-password"
          value={password}
          onValue={setPassword}
        />
        <p class="soft small">{users.createHint}</p>
        <RightBox isChecked={mayChange} setChecked={setMayChange} />
        <Buttons act={users.create} isBusy={isBusy} onDone={onDone} />
      </form>
    </Dialog>
  );
}

function OptionalName({
  value,
  onValue,
}: {
  readonly value: string;
  readonly onValue: (value: string) => void;
}) {
  return (
    <Field label={useConsole().words.users.name}>
      {(id) => (
        <input
          id={id}
          autocomplete="off"
          maxLength={255}
          value={value}
          onInput={({ currentTarget }) => onValue(currentTarget.value)}
        />
      )}
    </Field>
  );
}

interface PersonDialogProps extends DialogProps {
  readonly person: TenantPerson;
}

function EditDialog({ person, onDone }: PersonDialogProps) {
  const { words, tenantName, language } = useConsole();
  const { users, common } = words;
  const [name, setName] = useState(person.name ?? '');
  const [mayChange, setMayChange] = useState(person.scopes.includes(settings));
  const { isBusy, failure, run } = useSubmit(language);
  const submit = () =>
    run(async () => {
      const others = person.scopes.filter((scope) => scope !== settings);
      const scopes = mayChange ? [...others, settings] : others;
      const body = { tenantName, id: person.id, name: name.trim() || null, scopes };
      await ask(path, { method: 'PUT', body });
      onDone(common.saved);
    });
  return (
    <Dialog title={users.editTitle(person.email)} onClose={() => onDone(null)}>
      <form class="stack" onSubmit={submitted(submit)}>
        {failure}
        <OptionalName value={name} onValue={setName} />
        <RightBox isChecked={mayChange} setChecked={setMayChange} />
        <Buttons act={common.save} isBusy={isBusy} onDone={onDone} />
      </form>
    </Dialog>
  );
}

function PasswordDialog({ person: { id, email }, onDone }: PersonDialogProps) {
  const { words, tenantName, language } = useConsole();
  const { users } = words;
  const [newPassword, setPassword] = useState('');
  const { isBusy, failure, run } = useSubmit(language);
  const submit = () =>
    run(async () => {
      await ask(`${path}/password`, { method: 'POST', body: { tenantName, id, newPassword } });
      onDone(users.resetDone);
    });
  return (
    <Dialog title={users.resetTitle(email)} onClose={() => onDone(null)}>
      <form class="stack" onSubmit={submitted(submit)}>
        {failure}
        <p>{users.resetHint}</p>
        <TextField
          label={users.password}
          hint={words.first.passwordHint}
          type="password"
          autocomplete="new-password"
          value={newPassword}
          onValue={setPassword}
        />
        <p class="soft small">{users.createHint}</p>
        <Buttons act={users.reset} isBusy={isBusy} onDone={onDone} />
      </form>
    </Dialog>
  );
}

function DisableDialog({ person: { id, email }, onDone }: PersonDialogProps) {
  const { words, tenantName, language } = useConsole();
  const { users } = words;
  const { isBusy, failure, run } = useSubmit(language);
  const submit = () =>
    run(async () => {
      await ask(`${path}/disable`, { method: 'POST', body: { tenantName, id } });
      onDone(users.disabledNow);
    });
  return (
    <Dialog title={users.disableTitle(email)} onClose={() => onDone(null)}>
      <form class="stack" onSubmit={submitted(submit)}>
        {failure}
        <p>{users.disableHint}</p>
        <Buttons act={users.disable} isBusy={isBusy} isDanger onDone={onDone} />
      </form>
    </Dialog>
  );
}
