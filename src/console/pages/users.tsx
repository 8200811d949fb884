/** The users of the tenant: add, edit, set a new password, disable. */

import { useState } from 'preact/hooks';
import type { TenantPerson } from '../../contract/people.ts';
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
import { type Loaded, useTenantList } from '../parts/loading.ts';
import { Button, PageTitle, Time } from '../parts/pieces.tsx';
import { RowButton, Table } from '../parts/table.tsx';

const path = '/v1/tenant/user';
const settings = 'settings';

type Open =
  | { readonly is: 'create' }
  | { readonly is: 'edit' | 'reset' | 'disable'; readonly person: TenantPerson };

export function UsersPage() {
  const { common, nav, users, isManager, identity } = useConsole();
  if (isManager && identity === 'embedded') return <People />;
  return (
    <>
      <PageTitle text={nav.users} />
      <p class="notice">{isManager ? users.elsewhere : common.noAccess}</p>
    </>
  );
}

function People() {
  const { nav, users, tenantName, toast } = useConsole();
  const [open, setOpen] = useState<Open | null>(null);
  const loaded = useTenantList<TenantPerson>(path);
  const done = (text: string | null) => {
    setOpen(null);
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
  return (
    <>
      <div class="row apart">
        <PageTitle text={nav.users} />
        <Button kind="main" onClick={() => setOpen({ is: 'create' })}>
          {users.create}
        </Button>
      </div>
      <p class="soft">{users.intro}</p>
      <section class="panel flush" aria-label={nav.users}>
        <Rows loaded={loaded} setOpen={setOpen} enable={enable} />
      </section>
      {open?.is === 'create' && <CreateDialog onDone={done} />}
      {open?.is === 'edit' && <EditDialog person={open.person} onDone={done} />}
      {open?.is === 'reset' && <PasswordDialog person={open.person} onDone={done} />}
      {open?.is === 'disable' && <DisableDialog person={open.person} onDone={done} />}
    </>
  );
}

interface ActsProps {
  readonly setOpen: (open: Open) => void;
  readonly enable: (person: TenantPerson) => void;
}

function Rows({
  loaded,
  ...acts
}: ActsProps & { readonly loaded: Loaded<readonly TenantPerson[]> }) {
  const { users, account, user } = useConsole();
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
              <Acts person={person} {...acts} />
            ) : (
              person.id !== user.id && <span class="small soft">{users.others}</span>
            )}
          </td>
        </tr>
      )}
    />
  );
}

function Acts({ person, setOpen, enable }: ActsProps & { readonly person: TenantPerson }) {
  const { users } = useConsole();
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
        <RowButton key={label} label={label} subject={person.email} onClick={act} />
      ))}
    </div>
  );
}

interface DialogProps {
  /** Called with a sentence on what was done; null if nothing was done. */
  readonly onDone: (text: string | null) => void;
}

function CreateDialog({ onDone }: DialogProps) {
  const { users, common, tenantName } = useConsole();
  const send = async ({ email, name = '', password, mayChange }: Fields): Promise<void> => {
    const scopes = mayChange === undefined ? [] : [settings];
    const named = name.trim() === '' ? {} : { name: name.trim() };
    await ask(path, { body: { tenantName, email, password, scopes, ...named } });
    onDone(common.saved);
  };
  return (
    <FormDialog title={users.create} act={users.create} onDone={onDone} send={send}>
      <TextField label={users.email} name="email" type="email" required autocomplete="off" />
      <NameField />
      <NewPassword name="password" />
      <CheckField label={users.mayChange} name="mayChange" />
    </FormDialog>
  );
}

function NameField(props: { readonly defaultValue?: string }) {
  const { users } = useConsole();
  return <TextField label={users.name} name="name" autocomplete="off" maxLength={255} {...props} />;
}

function NewPassword(props: { readonly name: string }) {
  const { users, first } = useConsole();
  return (
    <>
      <PasswordField label={users.password} hint={first.passwordHint} isNew {...props} />
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
