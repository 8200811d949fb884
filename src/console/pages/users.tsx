/** The users of the tenant: add, edit, set a new password, disable. */

import type { TenantPerson } from '../../contract/auth.ts';
import { ask } from '../api/client.ts';
import { type Context, useConsole } from '../context.ts';
import {
  CheckField,
  PasswordField,
  type Question,
  TextField,
  useAct,
  useQuestion,
} from '../parts/form.tsx';
import { useTenantData } from '../parts/loading.ts';
import { type Act, Button, Buttons, PageTitle } from '../parts/pieces.tsx';
import { type Column, Table, timeColumn } from '../parts/table.tsx';

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
  const words = useConsole();
  const { nav, users, tenantName } = words;
  const loaded = useTenantData<readonly TenantPerson[]>(path);
  const { ask: open, dialog } = useQuestion(loaded.reload);
  const { run } = useAct(loaded.reload);
  const enable = async ({ id }: TenantPerson): Promise<string> => {
    await ask(`${path}/enable`, { body: { tenantName, id } });
    return users.enabled;
  };
  const actsOn = (person: TenantPerson): readonly Act[] => [
    [users.edit, () => open(edit(words, person))],
    [users.reset, () => open(reset(words, person))],
    person.isDisabled
      ? [users.enable, () => run(async () => enable(person))]
      : [users.disable, () => open(disable(words, person))],
  ];
  return (
    <>
      <div class="row apart">
        <PageTitle text={nav.users} />
        <Button kind="main" onClick={() => open(create(words))}>
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

function useColumns(actsOn: (person: TenantPerson) => readonly Act[]): Column<TenantPerson>[] {
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
      cell: (person) =>
        person.isManageable ? (
          <Buttons kind="quiet little" acts={actsOn(person)} subject={person.email} />
        ) : (
          person.id !== user.id && <span class="small soft">{users.others}</span>
        ),
    },
  ];
}

function create({ login, users, common, tenantName }: Context): Question {
  return {
    title: users.create,
    act: users.create,
    children: (
      <>
        <TextField label={login.email} name="email" type="email" required autocomplete="off" />
        <NameField />
        <NewPassword />
        <RightField scopes={[]} />
      </>
    ),
    send: async ({ email, name = '', password, mayChange }) => {
      const scopes = mayChange === undefined ? [] : [settings];
      const named = name.trim() === '' ? {} : { name: name.trim() };
      await ask(path, { body: { tenantName, email, password, scopes, ...named } });
    },
    done: common.saved,
  };
}

function edit({ users, common, tenantName }: Context, person: TenantPerson): Question {
  const { id, name: before, email, scopes: granted } = person;
  return {
    title: users.editTitle(email),
    act: common.save,
    children: (
      <>
        <NameField defaultValue={before ?? ''} />
        <RightField scopes={granted} />
      </>
    ),
    send: async ({ name = '', mayChange }) => {
      const others = granted.filter((scope) => scope !== settings);
      const scopes = mayChange === undefined ? others : [...others, settings];
      const body = { tenantName, id, name: name.trim() || null, scopes };
      await ask(path, { method: 'PUT', body });
    },
    done: common.saved,
  };
}

function reset({ users, tenantName }: Context, { id, email }: TenantPerson): Question {
  return {
    title: users.resetTitle(email),
    act: users.reset,
    children: (
      <>
        <p>{users.resetHint}</p>
        <NewPassword />
      </>
    ),
    send: async ({ password: newPassword }) =>
      ask(`${path}/password`, { body: { tenantName, id, newPassword } }),
    done: users.resetDone,
  };
}

function disable({ users, tenantName }: Context, { id, email }: TenantPerson): Question {
  return {
    title: users.disableTitle(email),
    act: users.disable,
    kind: 'danger',
    children: <p>{users.disableHint}</p>,
    send: async () => ask(`${path}/disable`, { body: { tenantName, id } }),
    done: users.disabledNow,
  };
}

function NameField(props: { readonly defaultValue?: string }) {
  const { list } = useConsole();
  return <TextField label={list.name} name="name" autocomplete="off" maxLength={255} {...props} />;
}

function RightField({ scopes }: Pick<TenantPerson, 'scopes'>) {
  const { mayChange } = useConsole().users;
  return (
    <CheckField label={mayChange} name="mayChange" defaultChecked={scopes.includes(settings)} />
  );
}

function NewPassword() {
  const { login, users, first } = useConsole();
  return (
    <>
      <PasswordField label={login.password} name="password" hint={first.passwordHint} isNew />
      <p class="soft small">{users.createHint}</p>
    </>
  );
}
