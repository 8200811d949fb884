/** `forensics serve` and `worker`: open everything, work until a signal, and close everything again. */

import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type App, openApp, type Stack, withStack } from '../../service/app.ts';
import { makeFirstTenant } from '../../service/first-run.ts';
import { configFolder, readConfig, type Settings, type Sources } from '../../contract/config.ts';
import { helpFor, type SettingName } from '../../contract/settings.ts';
import { writeOnce } from '../../ports/files/files.ts';
import { makeDataFolder } from '../../ports/data-folder/data-folder.ts';
import { lockForServing } from '../../ports/data-folder/serve-lock.ts';
import type { Metrics } from '../../server/metrics.ts';
import { createServer, type HttpServer } from '../../server/server.ts';
import { packageVersion } from '../../version.ts';
import { usageError } from '../../contract/errors.ts';
import { agreedByDefault, canAsk, ignoreBrokenOutput, log, printable } from '../output/terminal.ts';
import {
  certificateSource,
  createServerLog,
  keepCertificate,
  type KeptCertificate,
  listen,
  listenFailure,
  type Ready,
  readyJson,
  type ServerLog,
  welcome,
} from '../serve/listen.ts';
import { logOpening } from '../connection/local.ts';
import type { Command } from '../options.ts';

export function defineServe(serve: Command): void {
  withSettingFlags(serve, 'serve')
    .option('--json', 'print one JSON line on stdout when the server is ready', false)
    .helpAfter(`
Every option can also be set as an environment variable (FORENSICS_PORT) or in the config file (port).
The first run creates the data folder, a certificate, a tenant and its first API key, and prints how to use them.`)
    .examples('', '--host 0.0.0.0 --public-url https://forensics.example:8443')
    .action(runServe);
}

/** The settings that commands accept as options; none is a secret. */
const settingFlags = {
  serve: [
    ...(['host', 'port', 'publicUrl', 'dataDir', 'tlsCert', 'tlsKey', 'behindProxy'] as const),
    ...(['workers', 'intake', 'logLevel'] as const),
  ],
  worker: ['dataDir', 'workers'],
  health: ['host', 'port', 'dataDir', 'behindProxy'],
} as const satisfies Readonly<Record<string, readonly SettingName[]>>;

export type SettingFlags<C extends keyof typeof settingFlags> = {
  readonly [Name in (typeof settingFlags)[C][number]]?: string | boolean;
} & { readonly config?: string };

export function withSettingFlags(command: Command, like: keyof typeof settingFlags): Command {
  for (const name of settingFlags[like]) command.option(...helpFor(name));
  return command.option('--config <file>', 'the config file');
}

export type ServeOptions = SettingFlags<'serve'> & { readonly json: boolean };

async function runServe(options: ServeOptions): Promise<void> {
  const { json, config, ...flags } = options;
  const settings = await settingsOfStart({ flags, configFile: config });
  const stop = stopRequested();
  ignoreBrokenOutput();
  const serverLog = createServerLog();
  await withStack(async (stack) => {
    makeDataFolder(settings.dataDir);
    stack.defer(lockForServing(settings.dataDir));
    let server: HttpServer | null = null;
    const app = await openApp(settings, {
      onError: (what, error) => server?.log.error({ err: error }, what),
      onNotice: (what, facts) => server?.log.info(facts, what),
      onWarning: (what, facts) => server?.log.warn(facts, what),
      isLogWorking: () => serverLog.isWorking(),
    });
    stack.defer(() => app.close());
    logOpening(app.core.database, serverLog.note);
    const made = await openHttpServer({ app, settings, serverLog, stack });
    server = made.server;
    await app.storage.prove();
    const ready = { ...(await listen(server, settings)), authority: made.authority };
    app.storage.setPublicUrl(new URL(ready.url));
    app.operations.start();
    const firstRun = await makeFirstTenant(app.core, new Date());
    const { token } = app.administration.firstUser;
    const firstAccountUrl = token === null ? null : `${ready.url}/#/first/${token}`;
    const { behindProxy: isBehindProxy } = settings;
    printReady({ ...ready, isBehindProxy, firstRun, firstAccountUrl }, json, serverLog.note);
    await stop;
    serverLog.note('Stopping; press Ctrl-C or send the signal again to stop immediately.');
    await stack.unwind();
  });
}

/** A person at a terminal sees the welcome, so only warnings are logged there unless the user asks for more. */
async function settingsOfStart(sources: Sources): Promise<Settings> {
  await askAtFirstStart(sources);
  const { settings, origins } = readConfig(sources);
  const isForPerson = origins.logLevel === 'default' && process.stderr.isTTY;
  return isForPerson ? { ...settings, logLevel: 'warn' } : settings;
}

/** On the very first start, asks whether to accept every picture, and saves a yes in the config file. */
async function askAtFirstStart(sources: Sources): Promise<void> {
  const { settings, origins, file } = readConfig(sources);
  const isFirst = file === null && !existsSync(settings.dataDir);
  if (!isFirst || origins.intake !== 'default' || !canAsk()) return;
  const isEverything = await agreedByDefault(
    'Accept every picture from phones and offices, including HEIC, WebP and sides above 4,096 pixels?',
  );
  if (!isEverything) return;
  const folder = configFolder();
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const kept = join(folder, 'config.json');
  writeOnce(kept, `${JSON.stringify({ intake: 'everything' }, null, 2)}\n`);
  log(`Saved in ${kept}. To undo it, write "intake": "contract" there.`);
}

function printReady(ready: Ready, json: boolean, note: (text: string) => void): void {
  const text = json ? `${readyJson(ready)}\n` : welcome(ready);
  if (text !== null) process.stdout.write(text);
  note(`Listening on ${ready.url}`);
  if (ready.firstAccountUrl !== null && (json || ready.firstRun === null)) {
    note(
      `There is no account yet. Create the first one at ${ready.firstAccountUrl}   (works once)`,
    );
  }
}

const stopSignals = ['SIGTERM', 'SIGINT'] as const;

/** From this call on, the first signal resolves it; a second SIGTERM or SIGINT ends the process at once. */
async function stopRequested(): Promise<void> {
  await new Promise<void>((resolve) => {
    for (const signal of stopSignals) process.once(signal, () => resolve());
    // A terminal that closes may send it twice, from the shell and from the system.
    process.on('SIGHUP', () => resolve());
  });
  // Without our listeners, the default action of both signals ends the process.
  for (const signal of stopSignals) process.removeAllListeners(signal);
}

// A client that never finishes its request must not keep the server running.
const drainMs = 10_000;
const idleSweepMs = 50;

interface Opened {
  readonly app: App;
  readonly settings: Settings;
  readonly serverLog: ServerLog;
  readonly stack: Stack;
}

async function openHttpServer({ app, settings, serverLog, stack }: Opened) {
  const source = certificateSource(settings);
  const transport = source === null ? null : await source.load();
  let certificate: KeptCertificate | null = null;
  const metrics =
    settings.metricsAddress === null
      ? null
      : (await metricsRoom()).createMetrics({
          workload: () => app.operations.workload(),
          certificateEndsAt: () => certificate?.endsAt() ?? null,
          droppedLogLines: () => serverLog.dropped(),
        });
  const version = packageVersion();
  const accountKey = settings.hashLoggedAccounts ? app.core.secrets.of('log/accounts') : null;
  const parts = { app, transport, version, metrics, accountKey, logTarget: serverLog };
  const server = await createServer({ ...settings, ...parts });
  stack.defer(() => closeServer(server));
  if (source !== null && transport !== null) {
    const kept = keepCertificate(source, transport, server);
    stack.defer(() => kept.stop());
    void kept.check();
    certificate = kept;
  }
  if (metrics !== null && settings.metricsAddress !== null) {
    const listener = await showMetrics(settings.metricsAddress, metrics, server);
    stack.defer(() => listener.close());
  }
  return { server, authority: transport?.authority ?? null };
}

/** The metrics library is only loaded where it is used. */
const metricsRoom = () => import('../../server/metrics.ts');

async function showMetrics(address: string, metrics: Metrics, server: HttpServer) {
  const { hostname: host, port } = new URL(`http://${address}`);
  const place = { host: host.replace(/^\[|\]$/g, ''), port: Number(port || 80) };
  const onError = (error: unknown) => server.log.error({ err: error }, 'metrics');
  try {
    const { listenForMetrics } = await metricsRoom();
    const listener = await listenForMetrics(place, { metrics, onError });
    server.log.info({ port: listener.port }, 'metrics are served');
    return listener;
  } catch (error) {
    const setting = 'metricsAddress';
    throw listenFailure(error, { ...place, hostSetting: setting, portSetting: setting });
  }
}

async function closeServer(server: HttpServer): Promise<void> {
  const { server: listener } = server;
  const force = setTimeout(() => listener.closeAllConnections(), drainMs);
  // Clients keep connections open between requests; one that was busy when the server stopped is closed once idle.
  const sweep = setInterval(() => listener.closeIdleConnections(), idleSweepMs);
  try {
    await server.close();
  } finally {
    clearTimeout(force);
    clearInterval(sweep);
  }
}

// `forensics worker`: additional workers for the servers of a data folder or a database. They listen on no port.

export function defineWorker(worker: Command): void {
  withSettingFlags(worker, 'worker')
    .helpAfter(`
Examples:
  $ forensics worker
  $ forensics worker --workers 4
  $ FORENSICS_DATABASE_URL=postgres://forensics@db.example/forensics forensics worker`)
    .action(runWorker);
}

async function runWorker({ config, ...flags }: SettingFlags<'worker'>): Promise<void> {
  const { settings } = readConfig({ flags, configFile: config });
  if (settings.workers === 0) throw usageError('--workers must be at least 1.');
  const stop = stopRequested();
  ignoreBrokenOutput();
  const serverLog = createServerLog();
  const logEvent = (what: string, facts: object) =>
    serverLog.note(`${what}: ${JSON.stringify(facts)}`);
  const app = await openApp(settings, {
    onError: (what, error) => {
      const message = error instanceof Error ? error.message : 'failed';
      serverLog.write(`${printable(`${what}: ${message}`)}\n`);
    },
    onNotice: logEvent,
    onWarning: logEvent,
  });
  logOpening(app.core.database, serverLog.note);
  try {
    await app.storage.prove();
    app.operations.start();
    const isAlone = settings.databaseUrl === null;
    const place = isAlone ? `the data folder ${settings.dataDir}` : 'the jobs in the database';
    serverLog.note(`Working on ${place}`);
    await stop;
    serverLog.note('Stopping; press Ctrl-C or send the signal again to stop immediately.');
  } finally {
    await app.close();
  }
}
