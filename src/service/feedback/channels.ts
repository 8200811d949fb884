/** A way to send feedback to the team. Its outcome is data; the queue decides what to do with it. */

import type { NodemailerError } from 'nodemailer';
import type { FeedbackMessage } from '../../contract/feedback.ts';
import { ForensicsError } from '../../errors.ts';
import type { Sender } from '../../ports/network/post.ts';

export interface Attempt {
  /** `refused`: the same message would be refused again. */
  readonly kind: 'accepted' | 'failed' | 'refused';
  /** A code for the record, such as `smtp_250` or `timeout`; never text from the other side. */
  readonly detail: string;
}

/** Makes one attempt. Ends within a minute, or soon after `signal`. Throws only for bugs. */
export type Channel = (submission: Submission, signal: AbortSignal) => Promise<Attempt>;

/** Sends feedback as a plain-text mail over SMTP with verified TLS. */
interface MailOptions {
  /** `smtp://` (STARTTLS if the server offers it, required before a password is sent) or `smtps://`. */
  readonly smtpUrl: string;
  readonly from: string;
  readonly to: string;
  /** How long the server may stay silent in each step. */
  readonly timeoutMs?: number;
}

/** @throws {ForensicsError} `config_invalid` for a URL with parts that would have no effect. */
export function createMailChannel({ smtpUrl, from, to, timeoutMs = 10_000 }: MailOptions): Channel {
  const server = parseServer(smtpUrl);
  return async (submission, signal) => {
    // Imported only here because most installations send no mail.
    const { createTransport } = await import('nodemailer');
    const transport = createTransport({
      ...server,
      dnsTimeout: timeoutMs,
      connectionTimeout: timeoutMs,
      greetingTimeout: timeoutMs,
      socketTimeout: timeoutMs,
      // Never fetch a body or attachment from a file or URL, whatever a field contains.
      disableFileAccess: true,
      disableUrlAccess: true,
    });
    // There is a total limit as well: a server that responds very slowly must not block the sender forever.
    const deadline = AbortSignal.any([signal, AbortSignal.timeout(6 * timeoutMs)]);
    try {
      await transport.sendMail({ ...composeMail(submission, { from, to }), signal: deadline });
      return { kind: 'accepted', detail: 'smtp_250' };
    } catch (error) {
      signal.throwIfAborted();
      return deadline.aborted ? { kind: 'failed', detail: 'timeout' } : judge(error);
    }
  };
}

function parseServer(smtpUrl: string) {
  const url = new URL(smtpUrl);
  const hasMore = url.search !== '' || url.hash !== '' || url.pathname.length > 1;
  const [user, pass] = [url.username, url.password].map(unescaped);
  if (hasMore || user === undefined || pass === undefined) {
    throw new ForensicsError(
      'config_invalid',
      'The mail server address must be smtp:// or smtps://, then user:password@ if needed (with special characters percent-encoded), host and port, and nothing more.',
    );
  }
  const secure = url.protocol === 'smtps:';
  return {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? (secure ? 465 : 587) : Number(url.port),
    secure,
    // Never send a password without TLS.
    requireTLS: !secure && user !== '',
    ...(user === '' ? {} : { auth: { user, pass } }),
  };
}

function unescaped(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    // A % that does not start an escape sequence.
    return undefined;
  }
}

function composeMail(submission: Submission, { from, to }: { from: string; to: string }) {
  const { id, tenantName, createdAt, message } = submission;
  const { email: address } = message;
  // A single address in its simplest form. Anything more complicated appears only in the text.
  const isPlain =
    address.length <= 254 &&
    /^[\w.!#$%&'*+/=?^`{|}~-]{1,64}@[a-z0-9-]+(\.[a-z0-9-]+)+$/i.test(address);
  return {
    from,
    to,
    subject: `Feedback from ${tenantName}: ${message.source}`,
    // The same for every attempt, so that a mail delivered twice can be recognised.
    messageId: `<feedback-${id}@${from.slice(from.lastIndexOf('@') + 1)}>`,
    date: createdAt,
    text: plainText(submission),
    ...(isPlain && { replyTo: { name: '', address } }),
  };
}

/** Only a 5xx reply about sender, recipient or message is final. A failure before that may be put right. */
function judge(error: unknown): Attempt {
  const { code, responseCode, permanent }: NodemailerError = Object(error);
  const detail = responseCode === undefined ? (code ?? 'failed') : `smtp_${responseCode}`;
  const isAboutMessage = code === 'EENVELOPE' || code === 'EMESSAGE';
  return { kind: permanent === true && isAboutMessage ? 'refused' : 'failed', detail };
}

/** Sends feedback as a JSON POST to the administrator's own receiver. */
export function createPostChannel(to: {
  readonly url: string;
  readonly sender: Pick<Sender, 'post'>;
}): Channel {
  return async ({ message, ...known }) => {
    const headers = {
      'content-type': 'application/json',
      'user-agent': 'Service-Webhook/1.0',
      // The same for every attempt, so that the receiver recognises a repeat.
      'webhook-id': known.id,
    };
    const { id, userId, tenantId, tenantName, createdAt } = known;
    // The sender's claims, overridden by what the service knows for certain.
    const body = { ...message, id, userId, tenantId, tenantName, createdAt };
    const { kind, detail } = await to.sender.post(to.url, JSON.stringify(body), headers);
    return { kind: kind === 'gone' ? 'refused' : kind, detail };
  };
}

// A feedback message and its plain-text form. Nothing in it is ever interpreted as markup or a header.

/** A message with what the service itself knows about its sender. */
export interface Submission {
  readonly id: string;
  readonly userId: string;
  readonly tenantId: string;
  readonly tenantName: string;
  readonly createdAt: Date;
  readonly message: FeedbackMessage;
}

const maxAttributesLength = 16_384;
// A few thousand levels overflow the stack of JSON.stringify, and their indentation alone takes megabytes.
const maxAttributesLevels = 64;

/** Limits the attributes, whose members are arbitrary. @throws {ForensicsError} `invalid_request`. */
export function assertAttributesFit({ sourceAttributes = {} }: FeedbackMessage): void {
  const isFlat = !isDeeperThan(maxAttributesLevels, sourceAttributes);
  if (isFlat && JSON.stringify(sourceAttributes).length <= maxAttributesLength) return;
  throw new ForensicsError(
    'invalid_request',
    `sourceAttributes must be an object with at most ${maxAttributesLevels} levels and ${maxAttributesLength} characters of JSON.`,
  );
}

/** Iterates level by level; recursion could itself overflow the stack. */
function isDeeperThan(levels: number, value: unknown): boolean {
  let level = [value];
  for (let depth = 0; depth <= levels; depth++) {
    level = level.flatMap((one): unknown[] =>
      typeof one === 'object' && one !== null ? Object.values(one) : [],
    );
  }
  return level.length > 0;
}

/**
 * Each value is one line after our own label, and each line of a longer text is marked as quoted,
 * so that user text cannot pass for ours.
 */
export function plainText(submission: Submission): string {
  const { id, userId, tenantName, tenantId, createdAt } = submission;
  const { source, name, email, url, replaySessionId, sourceAttributes, message } =
    submission.message;
  return [
    `Feedback ${id} (${oneLine(source)})`,
    '',
    `Name:     ${oneLine(name)}`,
    `Email:    ${oneLine(email)}`,
    `User:     ${userId}`,
    `Tenant:   ${oneLine(tenantName)} (${tenantId})`,
    `Page:     ${oneLine(url)}`,
    ...(replaySessionId === undefined ? [] : [`Session:  ${oneLine(replaySessionId)}`]),
    `Received: ${createdAt.toISOString()}`,
    '',
    'Message:',
    ...quoted(message),
    ...(sourceAttributes === undefined
      ? []
      : ['', 'Attributes:', ...quoted(JSON.stringify(sourceAttributes, null, 2))]),
    '',
  ].join('\n');
}

function quoted(text: string): string[] {
  return text.split(/\r\n|[\n\r\u2028\u2029\u0085]/).map((line) => `> ${oneLine(line)}`);
}

/** Control characters, lone surrogates and bidirectional controls become spaces. */
function oneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u202A-\u202E\u2066-\u2069]/gu, ' ');
}
