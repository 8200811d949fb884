import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import type { SMTPServerOptions } from 'smtp-server';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createMailChannel, type Submission } from '../../../../src/service/feedback/channels.ts';
import { portOf } from '../../../fixtures/free-port.ts';
import { makeCertificate } from '../../../fixtures/certificate.ts';
import { smtpError, startMailServer } from './mail-server.ts';

const { signal } = new AbortController();

const submission: Submission = {
  id: '65f000000000000000000001',
  userId: '65f000000000000000000002',
  tenantId: '65f000000000000000000003',
  tenantName: 'acme',
  createdAt: new Date('2026-03-01T12:00:00.000Z'),
  message: {
    url: 'https://app.example/analysis/1',
    name: 'Änne Müller',
    email: 'aenne@example.org',
    message: 'Das Bild ist echt.\nBitte prüfen!',
    source: 'frontend-support-request',
    replaySessionId: 'abc',
    sourceAttributes: { analysisId: '1' },
  },
};

const withMessage = (message: Partial<Submission['message']>): Submission => ({
  ...submission,
  message: { ...submission.message, ...message },
});

const channelTo = (port: number, { login = '', scheme = 'smtp', timeoutMs = 5000 } = {}) =>
  createMailChannel({
    smtpUrl: `${scheme}://${login}127.0.0.1:${port}`,
    from: 'service@forensics.example',
    to: 'team@forensics.example',
    timeoutMs,
  });

/** A certificate of an authority that is trusted as if by NODE_EXTRA_CA_CERTS. */
async function trustedCertificate() {
  const { cert, key, ca } = await makeCertificate();
  const before = getCACertificates('default');
  setDefaultCACertificates([...before, ca]);
  onTestFinished(() => setDefaultCACertificates(before));
  return { cert, key };
}

const oneUser = (user: string, password: string): SMTPServerOptions => ({
  onAuth({ username, password: given }, _session, callback) {
    if (username === user && given === password) callback(null, { user });
    else callback(smtpError(535));
  },
});

/** A server on loopback that is not a mail server. */
async function startImpostor(onConnection: (socket: Socket) => void): Promise<number> {
  const server = createServer(onConnection);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return portOf(server);
}

test('a message arrives as plain text that names its sender, and replies go to the sender', async () => {
  const { port, mails } = await startMailServer({ disabledCommands: ['STARTTLS', 'AUTH'] });

  const attempt = await channelTo(port)(submission, signal);

  expect(attempt).toEqual({ kind: 'accepted', detail: 'smtp_250' });
  const [mail] = mails;
  expect(mail).toMatchObject({ from: 'service@forensics.example', to: ['team@forensics.example'] });
  expect(mail!.headers).toMatchObject({
    subject: 'Feedback from acme: frontend-support-request',
    'reply-to': 'aenne@example.org',
    'message-id': '<feedback-65f000000000000000000001@forensics.example>',
    'content-type': 'text/plain; charset=utf-8',
  });
  expect(mail!.text.trimEnd()).toBe(`Feedback 65f000000000000000000001 (frontend-support-request)

Name:     Änne Müller
Email:    aenne@example.org
User:     65f000000000000000000002
Tenant:   acme (65f000000000000000000003)
Page:     https://app.example/analysis/1
Session:  abc
Received: 2026-03-01T12:00:00.000Z

Message:
> Das Bild ist echt.
> Bitte prüfen!

Attributes:
> {
>   "analysisId": "1"
> }`);
});

test('no value can inject a header, another line of ours or a second address', async () => {
  const { port, mails } = await startMailServer({ disabledCommands: ['STARTTLS', 'AUTH'] });
  const evil = 'x\r\nBcc: victim@example.org\r\nTenant:   other';
  const hostile = withMessage({
    url: evil,
    name: evil,
    email: evil,
    message: `<script>alert(1)</script>\nTenant:   other\r\n.\r\nQUIT`,
    replaySessionId: evil,
    sourceAttributes: { [evil]: evil },
  });

  await channelTo(port)(hostile, signal);
  for (const email of [
    'a@b.example, c@d.example',
    'A <a@b.example>',
    'a@b.example\r\nBcc: c@d.example',
    '<a@b.example>',
    'a@localhost',
  ])
    await channelTo(port)(withMessage({ email }), signal);

  expect(mails).toHaveLength(6);
  for (const { to, headers } of mails) {
    expect(to).toEqual(['team@forensics.example']);
    expect(Object.keys(headers).toSorted()).toEqual([
      'content-transfer-encoding',
      'content-type',
      'date',
      'from',
      'message-id',
      'mime-version',
      'subject',
      'to',
    ]);
  }
  const { text } = mails[0]!;
  expect(text).toContain('> <script>alert(1)</script>\n> Tenant:   other\n> .\n> QUIT\n');
  expect(text.match(/^Tenant: .*$/gm)).toEqual(['Tenant:   acme (65f000000000000000000003)']);
});

test('credentials are sent over STARTTLS to a server with a trusted certificate', async () => {
  const certificate = await trustedCertificate();
  const { port, mails } = await startMailServer({ ...certificate, ...oneUser('me@x', 'p:/?#% ä') });
  const login = `${encodeURIComponent('me@x')}:${encodeURIComponent('p:/?#% ä')}@`;

  const attempt = await channelTo(port, { login })(submission, signal);

  expect(attempt.kind).toBe('accepted');
  expect(mails[0]).toMatchObject({ user: 'me@x', isSecure: true });
});

test('smtps speaks TLS from the first byte', async () => {
  const certificate = await trustedCertificate();
  const { port, mails } = await startMailServer({
    secure: true,
    ...certificate,
    disabledCommands: ['AUTH'],
  });

  const attempt = await channelTo(port, { scheme: 'smtps' })(submission, signal);

  expect(attempt.kind).toBe('accepted');
  expect(mails[0]).toMatchObject({ isSecure: true });
});

describe('an untrusted server gets neither password nor message', () => {
  test.each([
    ['its certificate is from an unknown authority', true],
    ['it offers no TLS', false],
  ])('%s', async (_, hasTls) => {
    const users: string[] = [];
    const { port, mails } = await startMailServer({
      ...(hasTls
        ? await makeCertificate()
        : { disabledCommands: ['STARTTLS'], allowInsecureAuth: true }),
      onAuth({ username = '' }, _session, callback) {
        users.push(username);
        callback(null, { user: username });
      },
    });

    const attempt = await channelTo(port, { login: 'me:secret@' })(submission, signal);

    expect(attempt.kind).toBe('failed');
    expect([users, mails]).toEqual([[], []]);
  });
});

test.each([
  ['a recipient that is refused temporarily', 451, { kind: 'failed', detail: 'smtp_451' }],
  ['a recipient that is refused permanently', 550, { kind: 'refused', detail: 'smtp_550' }],
])('%s', async (_, code, expected) => {
  const { port } = await startMailServer({
    disabledCommands: ['STARTTLS', 'AUTH'],
    onRcptTo: (_address, _session, callback) => callback(smtpError(code)),
  });

  expect(await channelTo(port)(submission, signal)).toEqual(expected);
});

test('a refused login is not final, as it may be fixed', async () => {
  const certificate = await trustedCertificate();
  const { port } = await startMailServer({ ...certificate, ...oneUser('me', 'right') });

  const attempt = await channelTo(port, { login: 'me:wrong@' })(submission, signal);

  expect(attempt).toEqual({ kind: 'failed', detail: 'smtp_535' });
});

test('a missing or silent server fails within the timeout', async () => {
  const silent = await startImpostor(() => undefined);

  const [absent, mute] = await Promise.all(
    [1, silent].map(async (port) => channelTo(port, { timeoutMs: 300 })(submission, signal)),
  );

  expect(absent).toEqual({ kind: 'failed', detail: 'ESOCKET' });
  expect(mute).toEqual({ kind: 'failed', detail: 'ETIMEDOUT' });
});

test('a server that never finishes is abandoned at the deadline', async () => {
  const dripping = await startImpostor((socket) => {
    socket.write('220 welcome\r\n');
    const drip = setInterval(() => socket.write('250-more\r\n'), 50);
    socket.on('error', () => undefined).on('close', () => clearInterval(drip));
  });

  const attempt = await channelTo(dripping, { timeoutMs: 100 })(submission, signal);

  expect(attempt).toEqual({ kind: 'failed', detail: 'timeout' });
});

test('stopping the worker ends the attempt at once', async () => {
  const { port, mails } = await startMailServer({ disabledCommands: ['STARTTLS', 'AUTH'] });
  const stop = new AbortController();

  const attempt = channelTo(port)(submission, stop.signal);
  stop.abort(new Error('stopping'));

  await expect(attempt).rejects.toThrow('stopping');
  expect(mails).toEqual([]);
});

test.each([
  'smtp://mail.example:25/?pool=true',
  'smtp://mail.example/path',
  'smtp://a%zz:b@mail.example',
])('%s is refused at the start', (smtpUrl) => {
  expect(() => createMailChannel({ smtpUrl, from: 'a@b.example', to: 'c@d.example' })).toThrow(
    expect.objectContaining({ code: 'config_invalid' }),
  );
});
