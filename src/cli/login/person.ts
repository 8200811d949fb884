/** A person logs in: with a password, or where an identity provider knows him. */

import type { Static } from 'typebox';
import type { Api } from '../../client/api.ts';
import { type DevicePrompt, logInByDevice, type Tokens } from '../../client/device-login.ts';
import { connectionsUnder } from '../../client/trust.ts';
import { ForensicsError } from '../../errors.ts';
import { infoAnswer, loginAnswer } from '../../contract/auth.ts';
import { usageError } from '../failure.ts';
import { printable } from '../printable.ts';
import { person } from '../prompts/person.ts';
import type { Profile } from '../server/profiles.ts';
import { sessionOf } from '../server/session.ts';
import { passwordOf } from './password.ts';
import type { LoggedIn, LoginOptions } from './run.ts';

interface PersonOptions extends LoginOptions {
  readonly asked: Profile;
}

type Answer = Static<typeof loginAnswer>['data'];
type Elsewhere = Exclude<Answer, { accessToken: string }>;

export async function logInAsPerson(api: Api, options: PersonOptions): Promise<LoggedIn> {
  const where = await whereToLogIn(api);
  const tokens = where === null ? await byPassword(api, options) : await byDevice(where, options);
  const at = Date.now();
  const authorization = `Bearer ${tokens.accessToken}`;
  const { data: holder } = await api.ask(
    { method: 'POST', path: '/v1/auth/info', authorization },
    infoAnswer,
  );
  return {
    credentials: sessionOf(tokens, { email: holder.email, at }),
    tenant: tenantAmong(holder.tenants, options.asked.tenant),
  };
}

/** Null where the server keeps the accounts: then it misses address and password, and counts no failed login. */
async function whereToLogIn(api: Api): Promise<Elsewhere | null> {
  try {
    const data = await loginWith(api, {});
    return 'accessToken' in data ? null : data;
  } catch (error) {
    if (error instanceof ForensicsError && error.code === 'invalid_request') return null;
    throw error;
  }
}

async function byPassword(api: Api, options: PersonOptions): Promise<Tokens> {
  const data = await loginWith(api, await passwordOf(options));
  if ('accessToken' in data) return data;
  throw usageError('This server takes no passwords any more; log in again.');
}

async function loginWith(api: Api, body: object): Promise<Answer> {
  const asked = { method: 'POST', path: '/v1/auth/login', authorization: null } as const;
  return (await api.ask({ ...asked, body }, loginAnswer)).data;
}

async function byDevice(where: Elsewhere, options: PersonOptions): Promise<Tokens> {
  const { issuer, clientId, deviceAuthorizationEndpoint } = where;
  if (options.passwordStdin) {
    throw usageError(`This server takes no passwords: its people log in at ${issuer}.`);
  }
  if (deviceAuthorizationEndpoint === null) {
    throw new ForensicsError(
      'not_offered',
      `People of this server log in at ${issuer}, which offers no login with a device code; log in with an API key: --api-key-file.`,
    );
  }
  const { scope, audience = null, asked } = options;
  const dispatcher = connectionsUnder({ by: 'system', ...(asked.ca && { also: asked.ca }) });
  try {
    return await logInByDevice({ issuer, clientId, scope, audience, dispatcher, show });
  } finally {
    await dispatcher.close();
  }
}

/** With `--quiet` too: it is a question, and nothing goes on without it. */
function show({ url, urlWithCode, code, minutes }: DevicePrompt): void {
  const lines = [`Open ${url} and type the code ${code} within ${minutes} minutes.`];
  if (urlWithCode !== null) lines.push(`Or open ${urlWithCode}`);
  for (const line of lines) person.output.write(`${printable(line)}\n`);
}

/** @throws {ForensicsError} `forbidden` when the person may not act for the tenant that was named. */
function tenantAmong(tenants: readonly string[], wanted: string | undefined): string | null {
  if (wanted === undefined) return tenants.length === 1 ? tenants[0]! : null;
  if (tenants.includes(wanted)) return wanted;
  throw new ForensicsError(
    'forbidden',
    `You may not act for the tenant "${wanted}"; ${tenants.length === 0 ? 'you have none' : `yours are ${tenants.join(', ')}`}.`,
  );
}
