import {
  appendFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import {
  audience,
  type OidcServer,
  openOidcServer,
  publicClientId,
} from '../fixtures/oidc-server.ts';
import { portOf } from '../fixtures/free-port.ts';
import { type Listening, openListening } from '../unit/server/open-server.ts';
import { runInTerminal, type TerminalHow } from './in-terminal.ts';
import { emptyFolder } from './run-cli.ts';
import { runHere } from './run-here.ts';

const email = 'examiner@example.org';

let provider: OidcServer;
let open: Listening;
let url: string;
let caFile: string;
let home: string;
beforeAll(async () => {
  provider = await openOidcServer();
  provider.people.set(email, { email, userType: 'examiner', scope: 'settings', tenants: ['acme'] });
  const folder = mkdtempSync(join(tmpdir(), 'forensics-login-'));
  caFile = join(folder, 'ca.pem');
  writeFileSync(caFile, provider.ca);
  const who = { oidcIssuer: provider.issuer, oidcClientId: publicClientId, oidcCa: caFile };
  open = await openListening({ flags: { ...who, oidcAudience: audience } });
  url = `https://localhost:${portOf(open.server.server)}`;
  // Logging in requires trusting both.
  appendFileSync(caFile, readFileSync(join(open.dataDir, 'tls', 'ca.pem'), 'utf8'));
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await open.close();
  await provider.stop();
  rmSync(dirname(caFile), { recursive: true });
});
beforeEach(async () => {
  home = await emptyFolder();
  vi.stubEnv('XDG_CONFIG_HOME', home);
});

const logIn = (onScreen: NonNullable<TerminalHow['onScreen']>, more: readonly string[] = []) =>
  runInTerminal(['login', '--url', url, '--ca', caFile, '--profile', 'lab', ...more], {
    env: { XDG_CONFIG_HOME: home },
    columns: 200,
    onScreen,
  });

test('a person logs in with a device code, uses commands, has the token renewed and logs out', async () => {
  const pages: Promise<string>[] = [];
  const shown = await logIn((text) => {
    const address = /Or open (?<address>https:\S+)\r?\n/.exec(text)?.groups?.['address'];
    if (address === undefined || pages.length > 0) return;
    pages.push(provider.letDeviceIn(address));
  });
  const keys = ['keys', 'list', '--tenant', 'acme', '--profile', 'lab', '--json'];
  const listed = await runHere(keys);
  const file = join(home, 'forensics', 'credentials', 'lab.json');
  const before: Record<string, unknown> = JSON.parse(readFileSync(file, 'utf8'));
  writeFileSync(file, JSON.stringify({ ...before, expiresAt: 0 }));
  const renewed = await runHere(keys);
  const after: Record<string, unknown> = JSON.parse(readFileSync(file, 'utf8'));
  const loggedOut = await runHere(['logout', '--profile', 'lab']);

  expect(await pages[0]).toContain('Sign-in Success');
  expect(shown).toMatchObject({ code: 0 });
  expect(shown.text).toMatch(/Open https:\S+\/device and enter the code [A-Z-]+ within 10 minutes/);
  expect(shown.text).toMatch(/loggedInAs +examiner@example\.org/);
  expect([listed.code, renewed.code, loggedOut.code]).toEqual([0, 0, 0]);
  expect(after['accessToken']).not.toBe(before['accessToken']);
  expect(loggedOut.stderr).toBe(`Logged out of ${url}.\n`);
});

test('with a provider, no password is asked for or sent', async () => {
  const shown = await logIn(
    (text, type) => {
      if (text.includes('Or open')) type('\u0003');
    },
    ['--quiet'],
  );

  expect(shown.text).toContain('Or open');
  expect(readdirSync(home)).toEqual([]);
  expect(shown.text).not.toMatch(/password|e-mail/i);
});

test("--password-stdin is refused with the provider's address", async () => {
  const who = ['--email', email, '--password-stdin'];
  const refused = await runHere(['login', '--url', url, '--ca', caFile, ...who]);

  expect(refused).toMatchObject({ code: 2, stdout: '' });
  expect(refused.stderr).toContain(`Log in at ${provider.issuer}.`);
});

test('a provider that does not allow device logins is reported with a way out', async () => {
  provider.responseWith((request, response) => {
    const isDiscovery = request.url?.startsWith('/.well-known/') === true;
    const { issuer } = provider;
    const facts = { issuer, token_endpoint: `${issuer}/token`, jwks_uri: `${issuer}/jwks` };
    const device = { device_authorization_endpoint: `${issuer}/device/auth` };
    response.writeHead(isDiscovery ? 200 : 401, { 'content-type': 'application/json' });
    response.end(
      JSON.stringify(isDiscovery ? { ...facts, ...device } : { error: 'invalid_client' }),
    );
  });

  const refused = await runHere(['login', '--url', url, '--ca', caFile, '--profile', 'lab']);
  provider.responseWith(null);

  expect(refused).toMatchObject({ code: 2, stdout: '' });
  expect(refused.stderr).toMatch(/does not allow "forensics-page" to log in .*--api-key-file/);
});

test('a provider with an untrusted certificate is named in the error', async () => {
  const ofServer = join(await emptyFolder(), 'ca.pem');
  writeFileSync(ofServer, readFileSync(join(open.dataDir, 'tls', 'ca.pem')));

  const refused = await runHere(['login', '--url', url, '--ca', ofServer, '--profile', 'lab']);

  expect(refused).toMatchObject({ code: 3 });
  expect(refused.stderr).toContain(
    `The certificate of ${new URL(provider.issuer).host} was not issued by`,
  );
});
