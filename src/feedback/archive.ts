/** Reads what was told, for the administrator. */

import { desc, eq } from 'drizzle-orm';
import type { Reader } from '../db/open.ts';
import { feedback, type FeedbackOutcome, tenants } from '../db/schema.ts';
import { ForensicsError } from '../errors.ts';
import type { Submission } from './message.ts';

export interface FeedbackEntry extends Submission {
  /** By channel. */
  readonly outcomes: Readonly<Record<string, FeedbackOutcome>>;
}

/** Newest first. */
export function listFeedback(reader: Reader, limit: number): readonly FeedbackEntry[] {
  return entries(reader).orderBy(desc(feedback.createdAt), desc(feedback.id)).limit(limit).all();
}

/** @throws {ForensicsError} `not_found`. */
export function getFeedback(reader: Reader, id: string): FeedbackEntry {
  const entry = entries(reader).where(eq(feedback.id, id)).get();
  if (entry !== undefined) return entry;
  throw new ForensicsError(
    'not_found',
    'There is no such feedback; "forensics feedback list" shows the latest.',
  );
}

function entries(reader: Reader) {
  const { id, userId, tenantId, createdAt, message, outcomes } = feedback;
  return reader
    .select({ id, userId, tenantId, tenantName: tenants.name, createdAt, message, outcomes })
    .from(feedback)
    .innerJoin(tenants, eq(tenants.id, tenantId));
}
