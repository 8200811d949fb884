/** A server as it looks from here: whether it is found, known again, well, and whether it lets us in. */

import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { halfSecondMs, judgeClock } from '../../app/doctor/clock.ts';
import { diagnose, type Diagnosis, messageOf } from '../../app/doctor/diagnosis.ts';
import type { Api } from '../../client/api.ts';
import { lookAt, type Seen } from '../../client/look.ts';
import { httpsAddress } from '../../client/open.ts';
import { ForensicsError } from '../../errors.ts';
import { openServer } from '../server/open.ts';
import { placeNamed } from '../server/place.ts';
import type { ServerOptions } from '../service-options.ts';
import { checkShown } from './server-certificate.ts';
import { judgeHealth, judgeVersion } from './server-health.ts';
import { checkCredentials } from './server-login.ts';

export interface ServerToLookAt extends ServerOptions {
  readonly tenant?: string;
}

/** @throws {ForensicsError} `usage`, `not_found`, `file_not_found`, `file_not_readable`: it is not clear which server is meant. */
export async function examineServer(options: ServerToLookAt): Promise<readonly Diagnosis[]> {
  const { url: text, profile } = await placeNamed(options);
  const url = httpsAddress(text);
  const name = await checkName(url);
  let api: Api;
  try {
    api = await openServer(options);
  } catch (error) {
    return [name, unreached(error)];
  }
  try {
    const ping = await lookAt(api, '/v1/ping');
    const tenant = options.tenant ?? profile?.tenant ?? null;
    return [
      foundAnyhow(name),
      await checkShown(url),
      ...judgeAnswer(ping),
      ...judgeHealth(await lookAt(api, '/v1/health')),
      judgeVersion(await lookAt(api, '/v1/schema')),
      await checkCredentials(api, tenant),
    ];
  } catch (error) {
    return [name, unreached(error)];
  } finally {
    await api.close();
  }
}

function unreached(error: unknown): Diagnosis {
  const { failed } = diagnose('connection');
  if (error instanceof ForensicsError && error.code === 'server_untrusted') {
    const fix = 'Take the file tls/ca.pem of its data folder here, and name it: --ca ca.pem';
    return failed(error.message, fix);
  }
  const fix =
    'See that the server runs and is reached from here: "forensics doctor" on its own machine tells what it lacks.';
  return failed(messageOf(error), fix);
}

async function checkName({ hostname }: URL): Promise<Diagnosis> {
  const { ok, failed } = diagnose('name');
  const host = hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) !== 0) return ok(`${host} is an address and needs no look-up.`);
  try {
    const found = await lookup(host, { all: true });
    return ok(`${host} leads to ${found.map(({ address }) => address).join(', ')}.`);
  } catch {
    return failed(
      `${host} leads to no address.`,
      'Check the address of the server, and the DNS of this machine.',
    );
  }
}

/** A proxy may find what we do not. */
function foundAnyhow(name: Diagnosis): Diagnosis {
  if (name.state === 'ok') return name;
  return diagnose('name').ok(`${name.message} A proxy finds it.`);
}

function judgeAnswer({ status, serverTime, at, data }: Seen): readonly Diagnosis[] {
  const { ok, failed } = diagnose('ping');
  const isPong = status === 200 && Object(Object(data)['data'])['message'] === 'pong';
  if (!isPong) {
    return [
      failed(
        `It answers with status ${status}, and not as this service does.`,
        'Check host and port; a proxy before the server must hand on everything below /v1.',
      ),
    ];
  }
  const clock =
    serverTime === null
      ? []
      : [judgeClock(null, at.getTime() - (serverTime.getTime() + halfSecondMs), 'the server')];
  return [ok('It answers.'), ...clock];
}
