import { mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { audience, openOidcServer, publicClientId } from '../fixtures/oidc-server.ts';
import { openListening } from '../unit/server/open-server.ts';
import { caOf, urlOf } from './on-server.ts';
import { emptyFolder, runCli } from './run-cli.ts';

test('with an identity provider, login asks for an API key and never for a password', async () => {
  const provider = await openOidcServer();
  onTestFinished(() => provider.stop());
  const oidcCa = join(mkdtempSync(join(tmpdir(), 'forensics-login-')), 'ca.pem');
  writeFileSync(oidcCa, provider.ca);
  const who = { oidcIssuer: provider.issuer, oidcClientId: publicClientId, oidcCa };
  const open = await openListening({ flags: { ...who, oidcAudience: audience } });
  onTestFinished(() => open.close());
  const home = await emptyFolder();

  const password = ['--email', 'examiner@example.org', '--password-stdin'];
  const server = ['--url', urlOf(open), '--ca', caOf(open)];
  const refused = await runCli(['login', ...server, ...password], {
    env: { XDG_CONFIG_HOME: home },
    stdin: Buffer.from('violet harbour 42 lanterns\n'),
  });

  expect(refused).toMatchObject({ code: 2, stdout: '' });
  expect(refused.stderr).toContain(
    `Users of this server log in at ${provider.issuer}; use an API key instead: --api-key-file.\n`,
  );
  expect(readdirSync(home)).toEqual([]);
});
