/** The users of the tenant: add, edit, set a new password, disable. */

import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { TenantPerson } from '../../contract/auth.ts';
import { ask } from '../api/client.ts';
import { useConsole } from '../context.ts';
import {
  CheckField,
  type Fields,
  FormDialog,
  PasswordField,
  TextField,
  useAct,
} from '../parts/form.tsx';
import { useTenantList } from '../parts/loading.ts';
import { Button, PageTitle } from '../parts/pieces.tsx';
import { type Column, RowButton, Table, timeColumn } from '../parts/table.tsx';

const path = '/v1/tenant/user';
const settings = 'settings';

export function UsersPage() {
  const { nav, users, identity } = useConsole();
  if (identity === 'embedded') return <People />;
  return (
    <>
      <PageTitle text={nav.users} />
      <p class="notice">{users.elsewhere}</p>
    </>
  );
}

function People() {
  const { nav, users, tenantName, toast } = useConsole();
  const [dialog, setDialog] = useState<ComponentChildren>(null);
  const loaded = useTenantList<TenantPerson>(path);
  const done = (text: string | null) => {
    setDialog(null);
    if (text === null) return;
    toast(text);
    loaded.reload();
  };
  const { run } = useAct();
  const enable = ({ id }: TenantPerson) =>
    run(async () => {
      await ask(`${path}/enable`, { body: { tenantName, id } });
      done(users.enabled);
    });
  const actsOn = (person: TenantPerson): Acts => [
    [users.edit, () => setDialog(<EditDialog person={person} onDone={done} />)],
    [users.reset, () => setDialog(<PasswordDialog person={person} onDone={done} />)],
    person.isDisabled
      ? [users.enable, () => enable(person)]
      : [users.disable, () => setDialog(<DisableDialog person={person} onDone={done} />)],
  ];
  return (
    <>
      <div class="row apart">
        <PageTitle text={nav.users} />
        <Button kind="main" onClick={() => setDialog(<CreateDialog onDone={done} />)}>
          {users.create}
        </Button>
      </div>
      <p class="soft">{users.intro}</p>
      <section class="panel flush" aria-label={nav.users}>
        <Table loaded={loaded} empty={null} columns={useColumns(actsOn)} keyOf={({ id }) => id} />
      </section>
      {dialog}
    </>
  );
}

/** The labels of buttons, and what they do. */
type Acts = readonly (readonly [string, () => void])[];

function useColumns(actsOn: (person: TenantPerson) => Acts): readonly Column<TenantPerson>[] {
  const { keys, users, account, user } = useConsole();
  return [
    {
      head: users.person,
      class: 'name',
      cell: ({ id, name, email }) => (
        <>
          <bdi>{name ?? email}</bdi> {id === user.id && <span class="tag">{users.own}</span>}
          {name !== null && (
            <>
              <br />
              <bdi class="small soft">{email}</bdi>
            </>
          )}
        </>
      ),
    },
    {
      head: users.right,
      class: 'small',
      cell: ({ scopes }) => (scopes.includes(settings) ? account.mayChange : account.mayNotChange),
    },
    {
      head: keys.state,
      cell: ({ isDisabled }) => (
        <span class={`badge ${isDisabled ? 'failed' : 'ok'}`}>
          {isDisabled ? users.disabled : users.active}
        </span>
      ),
    },
    timeColumn(users.lastLogin, ({ lastLoginDate }) => lastLoginDate, true),
    {
      head: null,
      class: 'acts wide',
      cell: (person) =>
        person.isManageable ? (
          <div class="row">
            {actsOn(person).map(([label, act]) => (
              <RowButton key={label} label={label} subject={person.email} onClick={act} />
            ))}
          </div>
        ) : (
          person.id !== user.id && <span class="small soft">{users.others}</span>
        ),
    },
  ];
}

interface DialogProps {
  /** Called with a sentence on what was done; null if nothing was done. */
  readonly onDone: (text: string | null) => void;
}

function CreateDialog({ onDone }: DialogProps) {
  const { login, users, common, tenantName } = useConsole();
  const send = async ({ email, name = '', password, mayChange }: Fields): Promise<void> => {
    const scopes = mayChange === undefined ? [] : [settings];
    const named = name.trim() === '' ? {} : { name: name.trim() };
    await ask(path, { body: { tenantName, email, password, scopes, ...named } });
    onDone(common.saved);
  };
  return (
    <FormDialog title={users.create} act={users.create} onDone={onDone} send={send}>
      <TextField label={login.email} name="email" type="email" required autocomplete="off" />
      <NameField />
      <NewPassword name="password" />
      <CheckField label={users.mayChange} name="mayChange" />
    </FormDialog>
  );
}

function NameField(props: { readonly defaultValue?: string }) {
  const { list } = useConsole();
  return <TextField label={list.name} name="name" autocomplete="off" maxLength={255} {...props} />;
}

function NewPassword(props: { readonly name: string }) {
  const { login, users, first } = useConsole();
  return (
    <>
      <PasswordField label={login.password} hint={first.passwordHint} isNew {...props} />
      <p class="soft small">{users.createHint}</p>
    </>
  );
}

interface PersonDialogProps extends DialogProps {
  readonly person: TenantPerson;
}

function EditDialog({ person, onDone }: PersonDialogProps) {
  const { users, common, tenantName } = useConsole();
  const send = async ({ name = '', mayChange }: Fields): Promise<void> => {
    const others = person.scopes.filter((scope) => scope !== settings);
    const scopes = mayChange === undefined ? others : [...others, settings];
    const body = { tenantName, id: person.id, name: name.trim() || null, scopes };
    await ask(path, { method: 'PUT', body });
    onDone(common.saved);
  };
  return (
    <FormDialog title={users.editTitle(person.email)} act={common.save} onDone={onDone} send={send}>
      <NameField defaultValue={person.name ?? ''} />
      <CheckField
        label={users.mayChange}
        name="mayChange"
        defaultChecked={person.scopes.includes(settings)}
      />
    </FormDialog>
  );
}

function PasswordDialog({ person: { id, email }, onDone }: PersonDialogProps) {
  const { users, tenantName } = useConsole();
  const send = async ({ newPassword }: Fields): Promise<void> => {
    await ask(`${path}/password`, { body: { tenantName, id, newPassword } });
    onDone(users.resetDone);
  };
  return (
    <FormDialog title={users.resetTitle(email)} act={users.reset} onDone={onDone} send={send}>
      <p>{users.resetHint}</p>
      <NewPassword name="newPassword" />
    </FormDialog>
  );
}

function DisableDialog({ person: { id, email }, onDone }: PersonDialogProps) {
  const { users, tenantName } = useConsole();
  const send = async (): Promise<void> => {
    await ask(`${path}/disable`, { body: { tenantName, id } });
    onDone(users.disabledNow);
  };
  return (
    <FormDialog
      title={users.disableTitle(email)}
      act={users.disable}
      isDanger
      onDone={onDone}
      send={send}
    >
      <p>{users.disableHint}</p>
    </FormDialog>
  );
}
