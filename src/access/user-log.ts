/** What the audit log is told about people: in the chain of the service, and in those of the tenants they may act for. */

import { append } from '../audit/append.ts';
import { type Actor, serviceChain } from '../audit/entry.ts';
import type { EventDetails } from '../audit/events.ts';
import type { Tx } from '../db/open.ts';

type UserEvent = Extract<keyof EventDetails, `user.${string}`>;

export interface UserAct {
  readonly userId: string;
  readonly at: Date;
  readonly by: Actor;
}

export function tellOfUser<E extends UserEvent>(
  tx: Tx,
  { userId, at, by }: UserAct,
  { event, details }: { readonly event: E; readonly details: EventDetails[E] },
): void {
  append(tx, { chain: serviceChain, at, actor: by, event, subject: userId, details });
}

/** Of the tenants that came or went, each hears of it itself. */
export function tellTenants(
  tx: Tx,
  { userId, at, by }: UserAct,
  { before, after }: { readonly before: readonly string[]; readonly after: readonly string[] },
): void {
  const tell = (chain: string, event: 'tenant.member_added' | 'tenant.member_removed') =>
    append(tx, { chain, at, actor: by, event, subject: userId, details: {} });
  for (const id of after) if (!before.includes(id)) tell(id, 'tenant.member_added');
  for (const id of before) if (!after.includes(id)) tell(id, 'tenant.member_removed');
}
