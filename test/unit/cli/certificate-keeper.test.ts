import { X509Certificate } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { keepCertificate, type KeptCertificate } from '../../../src/cli/serve/listen.ts';
import { issueAuthority, type Issued, issueLeaf } from '../../../src/server/certificate.ts';
import { readOwnTls } from '../../../src/server/tls.ts';
import { newFolder } from '../../fixtures/folder.ts';
import { portOf } from '../../fixtures/free-port.ts';
import { type OpenServer, openServer } from '../server/open-server.ts';

const dayMs = 24 * 3_600_000;
let folder = '';
let clock = new Date();
let authority: Issued;
let open: OpenServer;
let keeper: KeptCertificate;
let log: string[] = [];

beforeEach(async () => {
  folder = newFolder();
  clock = new Date();
  log = [];
  authority = await issueAuthority('test', validFor(3650));
  replace(await leafOf(365));
  const initial = load();
  open = await openServer({ transport: initial });
  await open.server.listen({ host: '127.0.0.1', port: 0 });
  const write = (_fields: object, text: string) => void log.push(text);
  keeper = keepCertificate(
    { load: async () => load(), everyMs: dayMs },
    initial,
    { server: open.server.server, log: { info: write, warn: write } },
    () => clock,
  );
});

afterEach(async () => {
  keeper.stop();
  await open.close();
});

const certPath = () => join(folder, 'cert.pem');
const keyPath = () => join(folder, 'key.pem');
const load = () => readOwnTls(certPath(), keyPath(), clock);

function validFor(days: number) {
  return { notBefore: clock, notAfter: new Date(clock.getTime() + days * dayMs) };
}

async function leafOf(days: number): Promise<Issued> {
  return issueLeaf(authority, ['127.0.0.1'], validFor(days));
}

function replace({ certificate, privateKey }: Issued): void {
  writeFileSync(certPath(), certificate.toString());
  writeFileSync(keyPath(), privateKey.export({ type: 'pkcs8', format: 'pem' }));
}

/** The fingerprint that a client sees when it connects now. */
async function servedFingerprint(): Promise<string> {
  const port = portOf(open.server.server);
  return new Promise((resolve, reject) => {
    const socket = connect(
      { host: '127.0.0.1', port, ca: authority.certificate.toString() },
      () => {
        resolve(socket.getPeerX509Certificate()?.fingerprint256 ?? '');
        socket.destroy();
      },
    );
    socket.on('error', reject);
  });
}

test('replaced files are served without a restart', async () => {
  const next = await leafOf(200);
  replace(next);
  await keeper.check();

  expect(await servedFingerprint()).toBe(next.certificate.fingerprint256);
  expect(keeper.endsAt()).toEqual(next.certificate.validToDate);
  expect(log).toEqual(['the certificate was replaced']);
});

test('a new certificate is not served until its key is there too', async () => {
  const before = await servedFingerprint();
  const next = await leafOf(200);
  writeFileSync(certPath(), next.certificate.toString());
  await keeper.check();
  await keeper.check();
  const between = await servedFingerprint();
  replace(next);
  await keeper.check();

  expect(between).toBe(before);
  expect(await servedFingerprint()).toBe(next.certificate.fingerprint256);
  expect(log).toEqual(['the earlier certificate stays in use', 'the certificate was replaced']);
});

test.each([
  ['gone', () => rmSync(certPath())],
  ['empty', () => writeFileSync(certPath(), '')],
  ['garbage', () => writeFileSync(keyPath(), 'garbage')],
])('the server keeps its certificate when a file is %s', async (_how, spoil) => {
  const before = await servedFingerprint();
  spoil();
  await keeper.check();

  expect(await servedFingerprint()).toBe(before);
});

test('nothing is logged while nothing changes', async () => {
  await keeper.check();
  await keeper.check();

  expect(log).toEqual([]);
});

test('a certificate in its last fourteen days logs a warning once a day', async () => {
  const counts: number[] = [];
  for (const days of [350, 352, 352.5, 353.5, 364.9]) {
    clock = new Date(new X509Certificate(load().cert).validFromDate.getTime() + days * dayMs);
    await keeper.check();
    counts.push(log.length);
  }

  expect(counts).toEqual([0, 1, 1, 2, 3]);
  expect(new Set(log)).toEqual(new Set(['the certificate expires soon; renew it']));
});
