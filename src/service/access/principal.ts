/** Who is asking. Made by the access room, read by every act that records an actor. */

import { type Actor, service } from '../audit/entry.ts';
import type { ActorType } from '../../contract/vocabulary.ts';
import { ForensicsError } from '../../errors.ts';

export interface Principal {
  readonly type: ActorType;
  /** User object id, API key UUID, or null for the system. */
  readonly id: string | null;
  /** Tenants this principal may act for; one for an API key. */
  readonly tenantIds: readonly string[];
  readonly scopes: readonly string[];
  /** Claim `userType` of a user token; null for API keys. */
  readonly userType: string | null;
  /** The session of a user token; null for API keys and for tokens of a provider that names none. */
  readonly sessionId: string | null;
}

/** The scope without which a user changes no settings. */
export const settingsScope = 'settings';

export const systemPrincipal: Principal = {
  type: 'system',
  id: null,
  tenantIds: [],
  scopes: [],
  userType: null,
  sessionId: null,
};

/** As the audit log names a principal. */
export function toActor({ type, id }: Pick<Principal, 'type' | 'id'>): Actor {
  return type === 'system' ? service : { type, id };
}

/**
 * The answer to any credential that is not valid.
 *
 * @param message - alike for causes that callers must not distinguish, such as an unknown and a wrong one.
 */
export function unauthenticated(message: string): ForensicsError {
  return new ForensicsError('unauthenticated', message);
}

/** A signed token as RFC 7515, section 2, spells it: base64url without padding, three times. */
export const compactToken = /^[\w-]+\.[\w-]+\.[\w-]+$/;
