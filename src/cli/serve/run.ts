/** Opens everything, listens, tells how to use it, and closes everything again when asked to stop. */

import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { hostname } from 'node:os';
import { openApp } from '../../app.ts';
import { openDataFolder } from '../../app/data-folder.ts';
import { makeFirstTenant } from '../../app/first-run.ts';
import { lockForServing } from '../../app/serve-lock.ts';
import { withStack } from '../../app/stack.ts';
import { readConfig } from '../../config.ts';
import type { Settings } from '../../config.ts';
import { ForensicsError } from '../../errors.ts';
import { createServer } from '../../server/server.ts';
import type { HttpServer } from '../../server/server.ts';
import { ensureLocalTls, readOwnTls } from '../../server/tls.ts';
import type { Transport } from '../../server/transport.ts';
import { systemCodeOf } from '../system-code.ts';
import { printable } from '../printable.ts';
import { stopRequested } from './stop.ts';
import { readyJson, welcome } from './welcome.ts';
import type { Ready } from './welcome.ts';

export interface ServeOptions {
  readonly host?: string;
  readonly port?: string;
  readonly publicUrl?: string;
  readonly dataDir?: string;
  readonly tlsCert?: string;
  readonly tlsKey?: string;
  readonly behindProxy?: boolean;
  readonly workers?: string;
  readonly logLevel?: string;
  readonly config?: string;
  readonly json: boolean;
}

// A client that never finishes its request must not keep the server from stopping.
const drainMs = 10_000;
const idleSweepMs = 50;

/** Returns after a clean stop. */
export async function runServe(options: ServeOptions): Promise<void> {
  const { json, config, ...flags } = options;
  const { settings } = readConfig({
    flags,
    ...(config === undefined ? {} : { configFile: config }),
  });
  const stop = stopRequested();
  await withStack(async (stack) => {
    const folder = openDataFolder(settings);
    stack.defer(lockForServing(folder.path));
    let server: HttpServer | null = null;
    const app = await openApp(settings, {
      onError: (what, error) => server?.log.error({ err: error }, what),
    });
    stack.defer(() => app.close());
    const transport = await transportOf(settings);
    server = await createServer({
      app,
      transport,
      version: packageVersion(),
      ...settings,
      logTarget: process.stderr,
    });
    const listening = server;
    stack.defer(() => closeServer(listening));
    const ready = { ...(await listen(server, settings)), authority: transport?.authority ?? null };
    app.setPublicUrl(new URL(ready.url));
    app.startWork();
    const firstRun = await makeFirstTenant(app, new Date());
    tellReady({ ...ready, isBehindProxy: settings.behindProxy, firstRun }, { json });
    await stop;
    process.stderr.write('Stopping; a second signal stops at once.\n');
    await stack.unwind();
  });
}

async function transportOf(settings: Settings): Promise<Transport> {
  const { tlsCert, tlsKey } = settings;
  if (settings.behindProxy) return null;
  if (tlsCert !== null && tlsKey !== null) return readOwnTls(tlsCert, tlsKey, new Date());
  const publicHost =
    settings.publicUrl === null ? [] : [bare(new URL(settings.publicUrl).hostname)];
  return ensureLocalTls(settings.dataDir, [settings.host, ...publicHost], new Date());
}

async function listen(
  server: HttpServer,
  settings: Settings,
): Promise<{ url: string; localUrl: string }> {
  const { host, port } = settings;
  try {
    await server.listen({ host, port, listenTextResolver: () => 'listening' });
  } catch (error) {
    throw listenFailure(error, settings);
  }
  // Not port itself: 0 lets the system choose.
  const taken = portOf(server.server.address()) ?? port;
  const scheme = settings.behindProxy ? 'http' : 'https';
  const localUrl = `${scheme}://${hostInUrl(host)}:${taken}`;
  const url = settings.publicUrl ?? `https://${hostInUrl(host)}:${taken}`;
  return { url, localUrl };
}

function portOf(address: AddressInfo | string | null): number | null {
  return typeof address === 'object' && address !== null ? address.port : null;
}

function listenFailure(error: unknown, { host, port }: Settings): unknown {
  const code = systemCodeOf(error);
  if (code === 'EADDRINUSE') {
    const message = `Port ${port} of ${host} is in use; stop what listens there, or choose another with --port.`;
    return new ForensicsError('address_in_use', message, { cause: error });
  }
  if (code === 'EACCES') {
    const message = `Port ${port} needs more rights; choose one above 1023 with --port.`;
    return new ForensicsError('config_invalid', message, { cause: error });
  }
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    const message = `${host} is no address of this machine; choose another with --host.`;
    return new ForensicsError('config_invalid', message, { cause: error });
  }
  return error;
}

function hostInUrl(host: string): string {
  const named = host === '0.0.0.0' || host === '::' ? hostname() : host;
  return named.includes(':') ? `[${named}]` : named;
}

function bare(hostOfUrl: string): string {
  return hostOfUrl.replace(/^\[|\]$/g, '');
}

async function closeServer(server: HttpServer): Promise<void> {
  const { server: listener } = server;
  const force = setTimeout(() => listener.closeAllConnections(), drainMs);
  // Clients keep a connection open after their answer; one that was busy when the stop came is closed when it is idle.
  const sweep = setInterval(() => listener.closeIdleConnections(), idleSweepMs);
  try {
    await server.close();
  } finally {
    clearTimeout(force);
    clearInterval(sweep);
  }
}

function tellReady(ready: Ready, { json }: { json: boolean }): void {
  const text = json ? `${readyJson(ready)}\n` : welcome(ready);
  if (text !== null) process.stdout.write(text);
  process.stderr.write(`Listening on ${printable(ready.url)}\n`);
}

function packageVersion(): string {
  const text = readFileSync(new URL('../../../package.json', import.meta.url), 'utf8');
  const { version }: { version: string } = JSON.parse(text);
  return version;
}
