import { X509Certificate } from 'node:crypto';
import { copyFileSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:https';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { expect, test } from 'vitest';
import { ensureLocalTls, readOwnTls } from '../../../src/server/tls.ts';
import { portOf } from '../../fixtures/free-port.ts';
import { temporaryFolder } from '../ports/db/temporary.ts';

const now = new Date();
const later = (days: number): Date => new Date(now.getTime() + days * 86_400_000);
const pathIn = (folder: string, name: string): string => join(folder, 'tls', name);

/** OpenSSL's code for the error, or null if the connection is trusted. */
async function handshake(
  material: { cert: string; key: string },
  client: { ca: string; servername: string },
): Promise<string | null> {
  const server = createServer(material).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const port = portOf(server);
  const outcome = await new Promise<string | null>((resolve) => {
    const socket = connect({ host: '127.0.0.1', port, ...client }, () => {
      socket.destroy();
      resolve(null);
    });
    socket.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
  });
  server.close();
  return outcome;
}

test('a client that trusts the authority accepts the leaf for each name of this machine', async () => {
  const folder = temporaryFolder();
  const material = await ensureLocalTls(folder, ['forensics.test'], now);
  const ca = readFileSync(pathIn(folder, 'ca.pem'), 'utf8');

  expect(await handshake(material, { ca, servername: 'localhost' })).toBeNull();
  expect(await handshake(material, { ca, servername: 'forensics.test' })).toBeNull();
  expect(await handshake(material, { ca, servername: 'elsewhere.test' })).toBe(
    'ERR_TLS_CERT_ALTNAME_INVALID',
  );
});

test('a client that trusts another authority refuses the leaf', async () => {
  const material = await ensureLocalTls(temporaryFolder(), [], now);
  const other = temporaryFolder();
  await ensureLocalTls(other, [], now);
  const ca = readFileSync(pathIn(other, 'ca.pem'), 'utf8');

  const outcome = await handshake(material, { ca, servername: 'localhost' });

  expect(outcome).not.toBeNull();
});

test('our own authority is sent after the leaf, for clients that pin it', async () => {
  const { cert, authority } = await ensureLocalTls(temporaryFolder(), [], now);

  const certificates = cert.match(/-----BEGIN[^-]*-----[^-]*-----END[^-]*-----/g) ?? [];

  expect(certificates).toHaveLength(2);
  expect(new X509Certificate(certificates[1]!).fingerprint256).toBe(authority?.fingerprint256);
});

test('the leaf lists IP addresses as such, in every notation', async () => {
  const material = await ensureLocalTls(
    temporaryFolder(),
    ['192.0.2.7', 'fe80::1:2', '::ffff:192.0.2.8'],
    now,
  );
  const leaf = new X509Certificate(material.cert);

  const found = ['127.0.0.1', '::1', '192.0.2.7', 'fe80::1:2', '::ffff:192.0.2.8'].map((address) =>
    leaf.checkIP(address),
  );

  expect(found).not.toContain(undefined);
  expect(leaf.checkIP('192.0.2.9')).toBeUndefined();
});

test('the authority may sign and is valid for ten years; the leaf may not and is valid for one', async () => {
  const folder = temporaryFolder();
  const leaf = new X509Certificate((await ensureLocalTls(folder, [], now)).cert);
  const authority = new X509Certificate(readFileSync(pathIn(folder, 'ca.pem')));
  const days = (certificate: X509Certificate): number =>
    Math.round((certificate.validToDate.getTime() - now.getTime()) / 86_400_000);

  expect([authority.ca, days(authority)]).toEqual([true, 3650]);
  expect([leaf.ca, days(leaf)]).toEqual([false, 365]);
  expect(leaf.checkIssued(authority)).toBe(true);
});

test('keys are readable only by their owner', async () => {
  const folder = temporaryFolder();
  await ensureLocalTls(folder, [], now);

  const modes = ['ca-key.pem', 'key.pem'].map(
    (name) => statSync(pathIn(folder, name)).mode & 0o777,
  );

  expect(modes).toEqual([0o600, 0o600]);
});

test('the leaf is replaced when it is about to expire, and the authority is kept', async () => {
  const folder = temporaryFolder();
  const first = await ensureLocalTls(folder, [], now);
  const soon = await ensureLocalTls(folder, [], later(300));
  const nearEnd = await ensureLocalTls(folder, [], later(340));

  expect(soon.cert).toBe(first.cert);
  expect(nearEnd.cert).not.toBe(first.cert);
  expect(nearEnd.authority).toEqual(first.authority);
});

test('a new name needs a new leaf', async () => {
  const folder = temporaryFolder();
  const first = await ensureLocalTls(folder, [], now);

  expect((await ensureLocalTls(folder, ['forensics.test'], now)).cert).not.toBe(first.cert);
  expect((await ensureLocalTls(folder, ['0.0.0.0'], now)).cert).not.toBe(first.cert);
});

test('a certificate and a key that do not match are replaced, not used', async () => {
  const folder = temporaryFolder();
  await ensureLocalTls(folder, [], now);
  const stranger = temporaryFolder();
  await ensureLocalTls(stranger, [], now);
  copyFileSync(pathIn(stranger, 'key.pem'), pathIn(folder, 'key.pem'));

  const { cert, key } = await ensureLocalTls(folder, [], now);

  expect(() => createServer({ cert, key })).not.toThrow();
});

test("an operator's own pair is accepted only if it matches and is valid", async () => {
  const [one, other] = [temporaryFolder(), temporaryFolder()];
  await ensureLocalTls(one, [], now);
  await ensureLocalTls(other, [], now);
  const cert = pathIn(one, 'cert.pem');
  const mismatch = () => readOwnTls(cert, pathIn(other, 'key.pem'), now);
  const expired = () => readOwnTls(cert, pathIn(one, 'key.pem'), later(400));
  const missing = () => readOwnTls(join(one, 'none.pem'), pathIn(one, 'key.pem'), now);
  const noKey = () => readOwnTls(cert, cert, now);

  expect(readOwnTls(cert, pathIn(one, 'key.pem'), now).authority).toBeNull();
  for (const act of [mismatch, expired, missing, noKey]) {
    expect(act).toThrow(expect.objectContaining({ code: 'config_invalid' }));
  }
});
