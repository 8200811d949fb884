/** The user's account: password, sessions, and feedback. */

import { ask, logOut } from '../api/client.ts';
import { useConsole } from '../context.ts';
import { Field, type Fields, FormPanel, PasswordField, useAct } from '../parts/form.tsx';
import { Button, Facts, PageTitle, Panel } from '../parts/pieces.tsx';

export function AccountPage() {
  const { login, first, common, nav, account, users, ...session } = useConsole();
  const { user, tenantName, isManager, identity, toast, leave } = session;
  const { isBusy, run } = useAct();
  const setPassword = async (body: Fields, form: HTMLFormElement): Promise<void> => {
    await ask('/v1/auth/change-password', { body });
    form.reset();
    toast(account.changed);
  };
  const sendFeedback = async ({ message }: Fields, form: HTMLFormElement): Promise<void> => {
    const name = user.name ?? user.email;
    const body = { url: location.href, name, tenantName, email: user.email, message };
    await ask('/v1/feedback', { body });
    form.reset();
    toast(account.sent);
  };
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
        <FormPanel title={account.password} act={common.save} send={setPassword}>
          <PasswordField label={account.current} name="currentPassword" />
          <PasswordField label={users.reset} name="newPassword" hint={first.passwordHint} isNew />
        </FormPanel>
      )}
      <FormPanel title={account.feedback} act={account.send} send={sendFeedback}>
        <Field label={account.message}>
          {(attributes) => (
            <textarea {...attributes} name="message" required rows={5} maxLength={10_000} />
          )}
        </Field>
      </FormPanel>
    </>
  );
}
