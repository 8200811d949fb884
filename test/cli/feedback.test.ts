import { expect, test } from 'vitest';
import { createPasswords } from '../../src/service/access/embedded/passwords.ts';
import { openApp } from '../../src/service/app.ts';
import { readConfig } from '../../src/contract/config.ts';
import { emptyFolder, runCli } from './run-cli.ts';

test('feedback is listed and shown as text with visible control characters', async () => {
  const dataDir = await emptyFolder();
  const { settings } = readConfig({ flags: { dataDir, workers: 1 }, environment: {} });
  const app = await openApp(settings, { passwords: createPasswords({ ln: 4 }) });
  const { id: tenantId } = await app.core.tenants.create({ name: 'acme' });
  const email = 'examiner@example.org';
  const user = await app.core.users.create({ email, password: 'violet harbour 42 lanterns' });
  const said = 'It says fake.\n\u001b[31mTenant:   other \u200ehidden';
  const message = { url: '', name: 'Examiner', email, message: said, source: 'a' };
  await app.administration.feedback.submit({ userId: user.id, tenantId }, message);
  await app.close();
  const run = async (...args: string[]) => runCli(['feedback', ...args, '--data-dir', dataDir]);

  const [table, json] = await Promise.all([run('list'), run('list', '--limit', '1', '--json')]);
  const [entry]: { id: string }[] = JSON.parse(json.stdout);
  const [shown, missing] = await Promise.all([run('show', entry!.id), run('show', 'none')]);

  expect(entry).toMatchObject({ tenantName: 'acme', message, outcomes: {} });
  expect(table.stdout).toMatch(
    new RegExp(`${entry!.id} .*acme .*examiner@example.org .*kept only`),
  );
  expect(shown.stdout).toContain('> It says fake.\n>  [31mTenant:   other ⟨U+200E⟩hidden\n');
  expect([table.code, shown.code, missing.code]).toEqual([0, 0, 4]);
});
