/** A real mail server on loopback. */

import { once } from 'node:events';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { onTestFinished } from 'vitest';
import { portOf } from '../../../fixtures/free-port.ts';

export interface Mail {
  readonly from: string;
  readonly to: readonly string[];
  readonly user: string | undefined;
  readonly isSecure: boolean;
  /** Header lines, unfolded, by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** An error response of the server. */
export function smtpError(responseCode: number): Error {
  return Object.assign(new Error('not now'), { responseCode });
}

export async function startMailServer(options: SMTPServerOptions = {}) {
  const mails: Mail[] = [];
  const server = new SMTPServer({
    logger: false,
    authOptional: options.onAuth === undefined,
    // Reverse look-ups would ask a name server.
    disableReverseLookup: true,
    ...options,
    onData(stream, session, callback) {
      const parts: Buffer[] = [];
      stream.on('data', (part: Buffer) => parts.push(part));
      stream.on('end', () => {
        const { mailFrom, rcptTo } = session.envelope;
        mails.push({
          from: mailFrom === false ? '' : mailFrom.address,
          to: rcptTo.map(({ address }) => address),
          user: session.user,
          isSecure: session.secure,
          ...parse(Buffer.concat(parts).toString('utf8')),
        });
        callback();
      });
    },
  });
  // The clients of some tests disconnect early.
  server.on('error', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())));
  const port = portOf(server.server);
  return { mails, port };
}

function parse(raw: string): Pick<Mail, 'headers' | 'text'> {
  const end = raw.indexOf('\r\n\r\n');
  const lines = raw
    .slice(0, end)
    .replaceAll(/\r\n[ \t]+/g, ' ')
    .split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
  const body = raw.slice(end + 4).replaceAll('\r\n', '\n');
  return { headers, text: decoded(body, headers['content-transfer-encoding']) };
}

function decoded(body: string, encoding: string | undefined): string {
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString('utf8');
  if (encoding !== 'quoted-printable') return body;
  const bytes = body
    .replaceAll('=\n', '')
    .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    );
  return Buffer.from(bytes, 'latin1').toString('utf8');
}
