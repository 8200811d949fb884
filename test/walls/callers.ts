/** Every kind of caller: its relevant rights, and the Authorization header it sends. */

import { randomBytes } from 'node:crypto';
import { createTokens } from '../../src/service/access/embedded/sessions.ts';
import { newSecret, settingsScope } from '../../src/service/access/principal.ts';
import { operator } from '../../src/service/audit/entry.ts';
import { type OpenServer, openServer } from '../unit/server/open-server.ts';

export interface Caller {
  /** The response of every route that requires authentication; null for a known caller. */
  readonly refusal: 401 | 403 | null;
  readonly isUser?: true;
  readonly isOfTenant?: true;
  readonly hasScope?: true;
}

const known = { refusal: null } as const;
const wrong = { refusal: 401 } as const;
const unknown = { refusal: 403 } as const;

export const callers = {
  nobody: unknown,
  'a header of another scheme': wrong,
  'a malformed key': wrong,
  'an expired key': wrong,
  'a wrong secret under a known tag': wrong,
  'a deleted key': unknown,
  'an unknown key': unknown,
  'a key of another tenant': known,
  'a key': { ...known, isOfTenant: true },
  'a key as bearer': { ...known, isOfTenant: true },
  'a user with the scope': { ...known, isUser: true, isOfTenant: true, hasScope: true },
  'a user without the scope': { ...known, isUser: true, isOfTenant: true },
  'a user of another tenant': { ...known, isUser: true, hasScope: true },
  'an expired token': wrong,
  'a token of another signer': wrong,
  'an id token in place of an access token': wrong,
  'a token of an ended session': wrong,
  'a token of a disabled user': wrong,
  'a token without the claim userType': wrong,
} satisfies Readonly<Record<string, Caller>>;

/** By caller name. */
export type Headers = Readonly<Record<string, string | undefined>>;

const minuteMs = 60_000;

/** A server with the tenant "acme" and all callers of the table. */
export async function openWithCallers(): Promise<{ open: OpenServer; headers: Headers }> {
  let clock = new Date();
  const open = await openServer({ now: () => clock });
  const acme = await open.makeTenant('acme');
  const other = await open.makeTenant('other');
  const expired = await open.makeTenant('expired', minuteMs);
  const rights = { tenants: [acme.tenant], scopes: [settingsScope] };
  const late = await open.makeUser('late', rights);
  clock = new Date(clock.getTime() + 20 * minuteMs);

  const { tokens } = await open.makeUser('known', rights);
  const plain = await open.makeUser('plain', { tenants: [acme.tenant] });
  const foreign = await open.makeUser('foreign', {
    tenants: [other.tenant],
    scopes: [settingsScope],
  });
  const ended = await open.makeUser('ended', rights);
  await open.app.core.identity.revoke(ended.tokens);
  const disabled = await open.makeUser('disabled', rights);
  await open.app.core.users.disable(disabled.user.id);
  const forged = await forge(open, tokens.accessToken, () => clock);
  return {
    open,
    headers: {
      nobody: undefined,
      'a header of another scheme': 'Basic YTpi',
      'a malformed key': 'ApiKey sk-acme-short',
      'an expired key': `ApiKey ${expired.secret}`,
      'a wrong secret under a known tag': `ApiKey ${newSecret(acme.tenant.keyTag)}`,
      'a deleted key': `ApiKey ${await deletedKey(open, acme.tenant.id)}`,
      'an unknown key': `ApiKey ${newSecret('nobody')}`,
      'a key of another tenant': `ApiKey ${other.secret}`,
      'a key': `ApiKey ${acme.secret}`,
      'a key as bearer': `Bearer ${acme.secret}`,
      'a user with the scope': `Bearer ${tokens.accessToken}`,
      'a user without the scope': `Bearer ${plain.tokens.accessToken}`,
      'a user of another tenant': `Bearer ${foreign.tokens.accessToken}`,
      'an expired token': `Bearer ${late.tokens.accessToken}`,
      'a token of another signer': `Bearer ${forged.ofAnotherSigner}`,
      'an id token in place of an access token': `Bearer ${tokens.idToken}`,
      'a token of an ended session': `Bearer ${ended.tokens.accessToken}`,
      'a token of a disabled user': `Bearer ${disabled.tokens.accessToken}`,
      'a token without the claim userType': `Bearer ${forged.withoutUserType}`,
    } satisfies Record<keyof typeof callers, string | undefined>,
  };
}

async function deletedKey(open: OpenServer, tenantId: string): Promise<string> {
  const { uuid, secret } = await open.makeKey({ id: tenantId }, 'deleted');
  await open.app.core.keys.revoke({ tenantId, uuid, by: operator });
  return secret;
}

/** Tokens for an active session: each is wrong only in what its name says. */
async function forge({ app }: OpenServer, accessToken: string, now: () => Date) {
  const { id, sessionId } = await app.core.identity.authenticate(accessToken);
  const bearer = {
    userId: id ?? '',
    sessionId: sessionId ?? '',
    email: 'known@example.org',
    name: null,
    userType: 'user',
    scopes: [settingsScope],
  };
  const signer = (seed: Uint8Array) => createTokens({ seed, issuer: 'forensics', now });
  const own = signer(app.core.secrets.of('access/tokens'));
  await app.core.identity.authenticate(await own.sign('access', bearer));
  return {
    ofAnotherSigner: await signer(randomBytes(32)).sign('access', bearer),
    withoutUserType: await own.sign(
      'access',
      Object.assign({ ...bearer }, { userType: undefined }),
    ),
  };
}
