/** `forensics doctor`: whether everything that the service needs is there and works, and what to do where not. */

import type { X509Certificate } from 'node:crypto';
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { type Command, Option } from 'commander';
import { checkAccess } from '../client/analyses.ts';
import { type Api, lookAt, type Seen } from '../client/api.ts';
import { httpsAddress, shownChain } from '../client/connect.ts';
import { halfSecondMs, judgeClock, soonDays } from '../../ops/doctor/clock.ts';
import { diagnose, type Diagnosis, messageOf, type State } from '../../ops/doctor/diagnosis.ts';
import { examineInstallation } from '../../ops/doctor/doctor.ts';
import { exitCodes, ForensicsError } from '../../errors.ts';
import { packageVersion } from '../../version.ts';
import { log, paint, print, printable, printJson, type Style } from '../output/terminal.ts';
import { publicUrlOf } from '../serve/listen.ts';
import { settingsFor } from '../connection/local.ts';
import { openServer, placeNamed } from '../connection/server.ts';
import {
  isRemote,
  type ServerOptions,
  type ServiceOptions,
  withServerOptions,
} from '../options.ts';

export function defineDoctor(doctor: Command): void {
  doctor
    .option('--quick', 'leave out the self-test, which examines two pictures', false)
    .addOption(
      new Option('--send', 'also send a test message to the webhook of each tenant')
        .conflicts(['url', 'profile'])
        .default(false),
    )
    .option('--tenant <name>', 'only this tenant (default: every tenant)')
    .option('--public-url <url>', 'where clients reach the server, when not at host and port')
    .option('--data-dir <dir>', 'the data folder')
    .option('--config <file>', 'the config file')
    .option('--json', 'print JSON', false);
  withServerOptions(doctor)
    .addHelpText(
      'after',
      `
Looks at the data folder of this machine or, with --url or --profile, at a server as it is seen from here. Writes, reads and
deletes small objects in the stores, and brings an older database up to date as every command does; changes nothing else.

Examples:
  $ forensics doctor
  $ forensics doctor --tenant acme --json
  $ forensics doctor --url https://forensics.example:8443 --ca ca.pem --tenant acme

Exit codes: 0 nothing failed, 1 something did.`,
    )
    .action(async (_own: unknown, command: Command) => {
      await runDoctor(command.optsWithGlobals<DoctorOptions>());
    });
}

interface DoctorOptions extends ServiceOptions {
  readonly quick: boolean;
  readonly send: boolean;
  readonly tenant?: string;
  readonly publicUrl?: string;
}

async function runDoctor(options: DoctorOptions): Promise<void> {
  const checks = await look(options);
  const isWell = checks.every(({ state }) => state !== 'failed');
  if (options.json) printJson({ ok: isWell, checks });
  else printLines(checks);
  if (!isWell) process.exitCode = exitCodes.failure;
}

async function look(options: DoctorOptions): Promise<readonly Diagnosis[]> {
  if (isRemote(options)) {
    return examineServer(options);
  }
  const settings = settingsFor(options);
  return examineInstallation({
    settings,
    tenantName: options.tenant ?? null,
    publicUrl: new URL(publicUrlOf(settings)),
    isSending: options.send,
    isQuick: options.quick,
    now: () => new Date(),
    onSlow: logSlow,
  });
}

function logSlow(what: string): void {
  log(`${what} ...`);
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

/** A server to check from here: reachable, verified, healthy, and accepting our credentials. */
interface ServerToLookAt extends ServerOptions {
  readonly tenant?: string;
}

/** @throws {ForensicsError} `usage`, `not_found`, `file_not_found`, `file_not_readable`: it is not clear which server is meant. */
async function examineServer(options: ServerToLookAt): Promise<readonly Diagnosis[]> {
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
      diagnoseUnchecked(name),
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
function diagnoseUnchecked(name: Diagnosis): Diagnosis {
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

const dayMs = 86_400_000;

/** How long the certificates stay valid; the answer that we got already shows that they are trusted. */
async function checkShown(url: URL): Promise<Diagnosis> {
  const chain = await shownChain(url).catch(() => []);
  return judgeChain(chain, new Date());
}

/** @param chain - as the server shows it; empty where it was not seen, as behind a proxy. */
export function judgeChain(
  chain: readonly Pick<X509Certificate, 'validToDate' | 'issuer'>[],
  now: Date,
): Diagnosis {
  const { ok, warning } = diagnose('certificate');
  const [first] = chain.toSorted((a, b) => a.validToDate.getTime() - b.validToDate.getTime());
  if (first === undefined) return ok('It is trusted; its age was not seen from here.');
  const days = Math.floor((first.validToDate.getTime() - now.getTime()) / dayMs);
  const summary = `It is trusted, and ends on ${first.validToDate.toISOString().slice(0, 10)}, in ${days} days.`;
  return days < soonDays
    ? warning(summary, 'Renew it on the server; one of its own it renews when it is started again.')
    : ok(summary);
}

const askThere = 'Run "forensics doctor" on the machine of the server: it tells what to do.';

/** Each check by its name. @param seen - of `/v1/health`. */
export function judgeHealth({ status, data }: Seen): readonly Diagnosis[] {
  const checks: readonly [string, unknown][] = Object.entries(Object(Object(data)['data']));
  if (status === 200 && checks.length > 0) return checks.map(([name, word]) => judge(name, word));
  const message: unknown = Object(data)['message'];
  const summary = typeof message === 'string' ? message : `It answers with status ${status}.`;
  return [diagnose('health').failed(summary, askThere)];
}

function judge(check: string, word: unknown): Diagnosis {
  const { ok, warning } = diagnose(`health of ${check}`);
  return word === 'ok' ? ok('It works.') : warning(`It is ${String(word)}.`, askThere);
}

/** @param seen - of `/v1/schema`. */
export function judgeVersion({ status, data }: Seen): Diagnosis {
  const { ok, warning } = diagnose('version');
  const version: unknown = Object(Object(data)['info'])['version'];
  const here = packageVersion();
  if (status !== 200 || typeof version !== 'string') {
    return warning('The server does not tell its version.', askThere);
  }
  return version === here
    ? ok(`The server and this program are version ${here}.`)
    : warning(
        `The server is version ${version}, this program ${here}.`,
        'Install the same version on both: npm i -g forensics',
      );
}

/** Whether the server knows who asks, and lets them act for the tenant. */
async function checkCredentials(api: Pick<Api, 'ask'>, tenant: string | null): Promise<Diagnosis> {
  const { ok, warning, failed } = diagnose('credentials', tenant);
  if (tenant === null) {
    return warning('Not checked, as no tenant was named.', 'Name it: --tenant NAME');
  }
  try {
    await checkAccess(api, tenant);
    return ok(`They are accepted, and may act for the tenant ${tenant}.`);
  } catch (error) {
    return failed(messageOf(error), fixFor(error));
  }
}

function fixFor(error: unknown): string {
  const code = error instanceof ForensicsError ? error.code : null;
  if (code === 'unauthenticated') {
    return 'Take a key that is valid (forensics keys list --expiring-within 1d), or log in again: forensics login';
  }
  return code === 'forbidden'
    ? 'Name a key of this tenant (--api-key-file FILE, FORENSICS_API_KEY), or log in: forensics login'
    : 'Try again in a while; "forensics doctor" on the machine of the server tells more.';
}
