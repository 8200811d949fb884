/** A feedback message, and the plain text made of it. Nothing in it is ever interpreted as markup or a header. */

import type { FeedbackMessage } from '../../contract/feedback.ts';
import { ForensicsError } from '../../errors.ts';

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
// A few thousand overflow the stack of JSON.stringify, and indented their blanks alone are megabytes.
const maxAttributesLevels = 64;

/** @throws {ForensicsError} `invalid_request`: attributes have arbitrary members, but not arbitrarily many. */
export function assertAttributesFit({ sourceAttributes = {} }: FeedbackMessage): void {
  const isFlat = !isDeeperThan(maxAttributesLevels, sourceAttributes);
  if (isFlat && JSON.stringify(sourceAttributes).length <= maxAttributesLength) return;
  throw new ForensicsError(
    'invalid_request',
    `sourceAttributes must be an object of at most ${maxAttributesLevels} levels and ${maxAttributesLength} characters of JSON.`,
  );
}

/** Level by level, not by calls: it must not overflow itself. */
function isDeeperThan(levels: number, value: unknown): boolean {
  let level = [value];
  for (let depth = 0; depth <= levels; depth++) {
    level = level.flatMap((one): unknown[] =>
      typeof one === 'object' && one !== null ? Object.values(one) : [],
    );
  }
  return level.length > 0;
}

/** One value a line behind our own labels, and every line of longer texts marked as quoted: none can pose as ours. */
export function plainText(submission: Submission): string {
  const { id, userId, tenantName, tenantId, createdAt } = submission;
  const { source, name, email, url, replaySessionId, sourceAttributes, message } =
    submission.message;
  return [
    `Feedback ${id} (${oneLine(source)})`,
    '',
    `Name:     ${oneLine(name)}`,
    `E-mail:   ${oneLine(email)}`,
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

/** Control characters, halves of characters, and bidirectional controls become blanks. */
function oneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u202A-\u202E\u2066-\u2069]/gu, ' ');
}
