/** The user's account: password, sessions, and feedback. */

import { ask, logOut } from '../api/client.ts';
import { useConsole } from '../context.ts';
import { Field, type Fields, FormPanel, PasswordField, useAct } from '../parts/form.tsx';
import { Button, Facts, PageTitle, Panel } from '../parts/pieces.tsx';

export function AccountPage() {
  const { login, first, nav, account, user, isManager, identity, leave } = useConsole();
  const { isBusy, run } = useAct();
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
        <div>
          <Button
            kind="danger"
            disabled={isBusy}
            onClick={() => run(() => logOut(true).then(leave))}
          >
            {account.everywhere}
          </Button>
        </div>
      </Panel>
      {identity === 'embedded' && <PasswordForm />}
      <FeedbackForm />
    </>
  );
}

function PasswordForm() {
  const { first, common, account, users, toast } = useConsole();
  const send = async (body: Fields, form: HTMLFormElement): Promise<void> => {
    await ask('/v1/auth/change-password', { body });
    form.reset();
    toast(account.changed);
  };
  return (
    <FormPanel title={account.password} act={common.save} send={send}>
      <PasswordField label={account.current} name="currentPassword" />
      <PasswordField label={users.reset} name="newPassword" hint={first.passwordHint} isNew />
    </FormPanel>
  );
}

function FeedbackForm() {
  const { account, toast, user, tenantName } = useConsole();
  const send = async ({ message }: Fields, form: HTMLFormElement): Promise<void> => {
    const name = user.name ?? user.email;
    const body = { url: location.href, name, tenantName, email: user.email, message };
    await ask('/v1/feedback', { body });
    form.reset();
    toast(account.sent);
  };
  return (
    <FormPanel title={account.feedback} act={account.send} send={send}>
      <Field label={account.message}>
        {(attributes) => (
          <textarea {...attributes} name="message" required rows={5} maxLength={10_000} />
        )}
      </Field>
    </FormPanel>
  );
}
