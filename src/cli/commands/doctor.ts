/** `forensics doctor`: checks that everything the service needs is there and works, and says how to fix what does not. */

import type { X509Certificate } from 'node:crypto';
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { type Command, Option } from 'commander';
import { request } from 'undici';
import { checkAccess } from '../client/analyses.ts';
import { type Api, parsedJson } from '../client/api.ts';
import { toConnectionFailure } from '../client/errors.ts';
import { httpsAddress, shownChain } from '../client/connect.ts';
import { halfSecondMs, judgeClock, soonDays } from '../../ops/doctor/clock.ts';
import { diagnose, type Diagnosis, messageOf, type State } from '../../ops/doctor/diagnosis.ts';
import { examineInstallation } from '../../ops/doctor/doctor.ts';
import { exitCodes, ForensicsError } from '../../errors.ts';
import { packageVersion } from '../../version.ts';
import { log, paint, print, printable, printJson, type Style } from '../output/terminal.ts';
import { serverUrl } from '../serve/listen.ts';
import { settingsFor } from '../connection/local.ts';
import { openServer, chooseServer } from '../connection/server.ts';
import { calling, isRemote, type ServiceOptions, withServerOptions } from '../options.ts';

export function defineDoctor(doctor: Command): void {
  doctor
    .option('--quick', 'skip the self-test, which examines two pictures', false)
    .addOption(
      new Option('--send', 'also send a test message to the webhook of each tenant')
        .conflicts(['url', 'profile'])
        .default(false),
    )
    .option('--tenant <name>', 'only this tenant (default: every tenant)')
    .option(
      '--public-url <url>',
      'the address at which clients reach the server, if not host and port',
    )
    .option('--data-dir <dir>', 'the data folder')
    .option('--config <file>', 'the config file')
    .option('--json', 'print JSON', false);
  withServerOptions(doctor)
    .addHelpText(
      'after',
      `
Checks the data folder on this machine or, with --url or --profile, a server as seen from here. It writes, reads and deletes
small objects in the stores and, like every command, upgrades an older database; it changes nothing else.

Examples:
  $ forensics doctor
  $ forensics doctor --tenant acme --json
  $ forensics doctor --url https://forensics.example:8443 --ca ca.pem --tenant acme

Exit codes: 0 no check failed, 1 at least one did.`,
    )
    .action(calling(runDoctor));
}

interface DoctorOptions extends ServiceOptions {
  readonly quick: boolean;
  readonly send: boolean;
  readonly tenant?: string;
  readonly publicUrl?: string;
}

async function runDoctor(options: DoctorOptions): Promise<void> {
  const checks = await (isRemote(options) ? examineServer(options) : examineThisMachine(options));
  const isWell = checks.every(({ state }) => state !== 'failed');
  if (options.json) printJson({ ok: isWell, checks });
  else printLines(checks);
  if (!isWell) process.exitCode = exitCodes.failure;
}

async function examineThisMachine(options: DoctorOptions): Promise<readonly Diagnosis[]> {
  const settings = settingsFor(options);
  return examineInstallation({
    settings,
    tenantName: options.tenant ?? null,
    publicUrl: new URL(serverUrl(settings)),
    isSending: options.send,
    isQuick: options.quick,
    now: () => new Date(),
    onSlow: (what) => log(`${what} ...`),
  });
}

const styles: Readonly<Record<State, Style>> = { ok: 'green', warning: 'yellow', failed: 'red' };
const stateWidth = 9;

function printLines(checks: readonly Diagnosis[]): void {
  const painted = paint(process.stdout);
  for (const { name, tenant, state, message, fix } of checks) {
    const what = tenant === null ? name : `${name} (${tenant})`;
    print(`${painted(styles[state], state.padEnd(stateWidth))}${what}: ${printable(message)}`);
    if (fix !== null) print(`${' '.repeat(stateWidth)}Fix: ${printable(fix)}`);
  }
}

/**
 * Checks a server from here: whether it is reachable, trusted and healthy, and accepts the credentials.
 *
 * @throws {ForensicsError} `usage`, `not_found`, `file_not_found`, `file_not_readable` when it is unclear which server
 *   is meant.
 */
async function examineServer(options: DoctorOptions): Promise<readonly Diagnosis[]> {
  const { url: text, profile } = await chooseServer(options);
  const url = httpsAddress(text);
  const name = await checkName(url);
  let api: Api;
  try {
    api = await openServer(options);
  } catch (error) {
    return [name, connectionFailed(error)];
  }
  try {
    const ping = await probe(api, '/v1/ping');
    const tenant = options.tenant ?? profile?.tenant ?? null;
    return [
      // A proxy may resolve a name that this machine cannot.
      name.state === 'ok' ? name : diagnose('name').ok(`${name.message} A proxy resolves it.`),
      judgeChain(await shownChain(url).catch(() => []), new Date()),
      ...judgePing(ping),
      ...judgeHealth(await probe(api, '/v1/health')),
      judgeVersion(await probe(api, '/v1/schema')),
      await checkCredentials(api, tenant),
    ];
  } catch (error) {
    return [name, connectionFailed(error)];
  } finally {
    await api.close();
  }
}

function connectionFailed(error: unknown): Diagnosis {
  const { failed } = diagnose('connection');
  if (error instanceof ForensicsError && error.code === 'server_untrusted') {
    const fix =
      'Copy the file tls/ca.pem from its data folder to this machine and name it with --ca ca.pem';
    return failed(error.message, fix);
  }
  const fix =
    'Check that the server is running and reachable from here; run "forensics doctor" on its own machine.';
  return failed(messageOf(error), fix);
}

async function checkName({ hostname }: URL): Promise<Diagnosis> {
  const { ok, failed } = diagnose('name');
  const host = hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) !== 0) return ok(`${host} is an IP address and needs no lookup.`);
  try {
    const found = await lookup(host, { all: true });
    return ok(`${host} resolves to ${found.map(({ address }) => address).join(', ')}.`);
  } catch {
    return failed(
      `${host} does not resolve to an address.`,
      'Check the address of the server and the DNS settings of this machine.',
    );
  }
}

function judgePing({ status, serverTime, at, data }: Probe): readonly Diagnosis[] {
  const { ok, failed } = diagnose('ping');
  const isPong = status === 200 && Object(Object(data)['data'])['message'] === 'pong';
  if (!isPong) {
    return [
      failed(
        `Something answers with status ${status}, but it is not a forensics server.`,
        'Check the host and port; a proxy in front of the server must forward everything below /v1.',
      ),
    ];
  }
  const clock =
    serverTime === null
      ? []
      : [judgeClock(null, at.getTime() - (serverTime.getTime() + halfSecondMs), 'the server')];
  return [ok('It answers.'), ...clock];
}

/** The response to a single request, whatever its status. */
interface Probe {
  readonly status: number;
  /** The server's clock, to the second; null when the response has no Date header. */
  readonly serverTime: Date | null;
  /** Our clock halfway between request and response. */
  readonly at: Date;
  /** Null when the response was not JSON. */
  readonly data: unknown;
}

const probeTimeoutMs = 10_000;

/** @param path - a route that needs no credentials. @throws {ForensicsError} `server_unreachable`, `server_untrusted`. */
async function probe(
  { url, dispatcher }: Pick<Api, 'url' | 'dispatcher'>,
  path: string,
): Promise<Probe> {
  const sentMs = Date.now();
  try {
    const answer = await request(new URL(path, url), {
      dispatcher,
      headers: { accept: 'application/json' },
      signal: AbortSignal.timeout(probeTimeoutMs),
    });
    const at = new Date((sentMs + Date.now()) / 2);
    const serverMs = Date.parse(String(answer.headers['date'] ?? ''));
    return {
      status: answer.statusCode,
      serverTime: Number.isNaN(serverMs) ? null : new Date(serverMs),
      at,
      data: parsedJson(await answer.body.text()),
    };
  } catch (error) {
    throw toConnectionFailure(error, url);
  }
}

const dayMs = 86_400_000;

/**
 * Reports how long the certificates remain valid; a response over this connection already proves that they are trusted.
 *
 * @param chain - as sent by the server; empty when it cannot be read, such as behind a proxy.
 */
function judgeChain(
  chain: readonly Pick<X509Certificate, 'validToDate' | 'issuer'>[],
  now: Date,
): Diagnosis {
  const { ok, warning } = diagnose('certificate');
  const [first] = chain.toSorted((a, b) => a.validToDate.getTime() - b.validToDate.getTime());
  if (first === undefined) return ok('It is trusted; its expiry date cannot be seen from here.');
  const days = Math.floor((first.validToDate.getTime() - now.getTime()) / dayMs);
  const summary = `It is trusted and expires on ${first.validToDate.toISOString().slice(0, 10)}, in ${days} days.`;
  return days < soonDays
    ? warning(
        summary,
        'Renew it on the server; a certificate the server made itself is renewed when the server restarts.',
      )
    : ok(summary);
}

const askThere = 'Run "forensics doctor" on the server\'s machine; it says what to do.';

/** One diagnosis for each named check. @param probe - of `/v1/health`. */
function judgeHealth({ status, data }: Probe): readonly Diagnosis[] {
  const checks: readonly [string, unknown][] = Object.entries(Object(Object(data)['data']));
  if (status === 200 && checks.length > 0) {
    return checks.map(([name, word]) => {
      const { ok, warning } = diagnose(`health of ${name}`);
      return word === 'ok' ? ok('It works.') : warning(`It is ${String(word)}.`, askThere);
    });
  }
  const message: unknown = Object(data)['message'];
  const summary = typeof message === 'string' ? message : `It answers with status ${status}.`;
  return [diagnose('health').failed(summary, askThere)];
}

/** @param probe - of `/v1/schema`. */
function judgeVersion({ status, data }: Probe): Diagnosis {
  const { ok, warning } = diagnose('version');
  const version: unknown = Object(Object(data)['info'])['version'];
  const here = packageVersion();
  if (status !== 200 || typeof version !== 'string') {
    return warning('The server does not report its version.', askThere);
  }
  return version === here
    ? ok(`The server and this program are version ${here}.`)
    : warning(
        `The server is version ${version}, this program ${here}.`,
        'Install the same version on both: npm i -g forensics',
      );
}

async function checkCredentials(
  api: Pick<Api, 'request'>,
  tenant: string | null,
): Promise<Diagnosis> {
  const { ok, warning, failed } = diagnose('credentials', tenant);
  if (tenant === null) {
    return warning('Not checked because no tenant was given.', 'Add --tenant NAME');
  }
  try {
    await checkAccess(api, tenant);
    return ok(`They are accepted for the tenant ${tenant}.`);
  } catch (error) {
    return failed(messageOf(error), fixFor(error));
  }
}

function fixFor(error: unknown): string {
  const code = error instanceof ForensicsError ? error.code : null;
  if (code === 'unauthenticated') {
    return 'Use a valid key (forensics keys list --expiring-within 1d), or log in again: forensics login';
  }
  return code === 'forbidden'
    ? 'Use a key of this tenant (--api-key-file FILE, FORENSICS_API_KEY), or log in: forensics login'
    : 'Try again later, or run "forensics doctor" on the server\'s machine.';
}
