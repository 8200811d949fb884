/** What a new installation needs before anybody can use it: a tenant, an API key, and a key that signs evidence. */

import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Tenant } from './tenants/tenants.ts';
import { settingsScope } from './access/principal.ts';
import { service, serviceChain } from './audit/entry.ts';
import type { firstUserBody } from '../contract/auth.ts';
import type { KeyEntry } from '../contract/keys.ts';
import type { Static } from 'typebox';
import { nullOn, ForensicsError } from '../contract/errors.ts';
import type { Core } from './core.ts';

const keyLifeMs = 365 * 86_400_000;

export interface FirstRun {
  readonly tenant: Tenant;
  /** Includes its secret, which is never shown again. */
  readonly key: KeyEntry;
}

/** Null on later runs, and for all but one of several servers that start at once on an empty database. */
export async function makeFirstTenant(core: Core, now: Date): Promise<FirstRun | null> {
  // Every tenant has a log that outlives it.
  const hadTenant = (await core.audit.chains()).some((chain) => chain !== serviceChain);
  if (hadTenant) return null;
  // Created now, so that its public half can be handed out before the first bundle.
  await core.signingKeys.signer();
  const firstTenant = { name: 'default', by: service };
  const tenant = await nullOn(['conflict'], () => core.tenants.create(firstTenant));
  if (tenant === null) return null;
  const expiresAt = new Date(now.getTime() + keyLifeMs);
  const firstKey = { tenantId: tenant.id, name: 'first run', expiresAt, by: service };
  return { tenant, key: await core.keys.mint(firstKey) };
}

/** Creates the first account once, from the browser of someone who can read the output of `serve`. */
export async function createFirstUser(core: Pick<Core, 'users' | 'tenants' | 'identity'>) {
  const { users, tenants, identity } = core;
  let token =
    identity.kind === 'embedded' && (await users.list()).length === 0
      ? randomBytes(32).toString('base64url')
      : null;

  async function isNeeded(): Promise<boolean> {
    // The account may also have been created on the command line in the meantime.
    if (token !== null && (await users.list()).length > 0) token = null;
    return token !== null;
  }

  return {
    /** Null if people log in elsewhere, and once there is an account. */
    get token() {
      return token;
    },
    isNeeded,
    /** @throws {ForensicsError} `unauthenticated` unless the token is the one printed; otherwise as `Users.create`. */
    async create({ token: given, name, ...account }: Static<typeof firstUserBody>) {
      const expected = token;
      const isValid =
        expected !== null && timingSafeEqual(hashed(given), hashed(expected)) && (await isNeeded());
      // Another request may have used the token while this one waited.
      if (!isValid || token !== expected) {
        throw new ForensicsError(
          'unauthenticated',
          'This link is no longer valid. Restart the server for a new one, or log in if an account exists.',
        );
      }
      // Invalidate the token before awaiting anything, so that of two concurrent requests only one creates an account.
      token = null;
      try {
        const tenantIds = (await tenants.list()).map(({ id }) => id);
        const facts = name === undefined ? {} : { name };
        const first = { ...account, ...facts, scopes: [settingsScope], tenantIds };
        // Checked again in the database: another server with its own link may create an account at the same moment.
        await users.createFirst(first);
      } catch (error) {
        token = expected;
        throw error;
      }
    },
  };
}

function hashed(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

const names = ['real.jpg', 'fake.jpg'] as const;
// Works from both `src/service` and `dist/service`: pictures are not compiled.
const shipped = fileURLToPath(new URL('../../src/service/trial/', import.meta.url));

/** By name. A file of the same name in the data folder's `trial` folder replaces one; see `npm run draw -- --trial`. */
export const shippedTrialImages: Readonly<Record<string, string>> = Object.fromEntries(
  names.map((name) => [name, join(shipped, name)]),
);

/** MD5 of both pictures in lower-case hex, because the contract compares them that way. Not a security measure. */
export function trialMd5s(dataDir: string): readonly string[] {
  return names.map((name) => {
    const own = join(dataDir, 'trial', name);
    const file = existsSync(own) ? own : join(shipped, name);
    return createHash('md5').update(readFileSync(file)).digest('hex');
  });
}
