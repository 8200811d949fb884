import { expect, onTestFinished, test } from 'vitest';
import { createPasswords } from '../../../src/service/access/embedded/passwords.ts';
import { openApp } from '../../../src/service/app.ts';
import { readConfig } from '../../../src/contract/config.ts';
import { temporaryFolder } from '../ports/db/temporary.ts';
import { startMailServer } from './feedback/mail-server.ts';
import { startReceiver } from './webhooks/receiver.ts';

async function openWith(environment: Record<string, string>) {
  const flags = { dataDir: temporaryFolder(), workers: 1 };
  const { settings } = readConfig({ flags, environment });
  const app = await openApp(settings, { passwords: createPasswords({ ln: 4 }) });
  onTestFinished(() => app.close());
  const { id: tenantId } = await app.core.tenants.create({ name: 'acme' });
  const email = 'examiner@example.org';
  const { id: userId } = await app.core.users.create({
    email,
    password: 'violet harbour 42 lanterns',
  });
  const message = { url: '', name: 'Examiner', email, message: 'Hello', source: 'a' };
  return {
    app,
    submit: async () => app.administration.feedback.submit({ userId, tenantId }, message),
  };
}

test('each message goes to the mail address and the internal receiver in the settings', async () => {
  const { port, mails } = await startMailServer({ disabledCommands: ['STARTTLS', 'AUTH'] });
  const receiver = await startReceiver();
  const { app, submit } = await openWith({
    FORENSICS_FEEDBACK_SMTP_URL: `smtp://127.0.0.1:${port}`,
    FORENSICS_FEEDBACK_MAIL_FROM: 'service@forensics.example',
    FORENSICS_FEEDBACK_MAIL_TO: 'team@forensics.example',
    FORENSICS_FEEDBACK_WEBHOOK_URL: receiver.url,
  });
  app.operations.start();

  await submit();

  await expect.poll(() => [mails.length, receiver.calls.length]).toEqual([1, 1]);
  expect(mails[0]).toMatchObject({ to: ['team@forensics.example'] });
});

test('a mail server URL with parts that have no effect stops the start', async () => {
  const opening = openWith({
    FORENSICS_FEEDBACK_SMTP_URL: 'smtp://mail.example?secure=true',
    FORENSICS_FEEDBACK_MAIL_FROM: 'service@forensics.example',
    FORENSICS_FEEDBACK_MAIL_TO: 'team@forensics.example',
  });

  await expect(opening).rejects.toMatchObject({ code: 'config_invalid' });
});
