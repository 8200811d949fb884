/** The address and the certificate that `serve` listens with, what it prints once it does, and its log. */

import { writeSync } from 'node:fs';
import { hostname } from 'node:os';
import { X509Certificate } from 'node:crypto';
import type { FirstRun } from '../../service/first-run.ts';
import type { Settings } from '../../contract/config.ts';
import { ForensicsError } from '../../contract/errors.ts';
import { systemCodeOf } from '../../ports/files/files.ts';
import type { HttpServer } from '../../server/server.ts';
import { ensureLocalTls, readOwnTls, type TlsMaterial } from '../../server/tls.ts';
import { printable, shellWord, switches } from '../output/terminal.ts';
import { showCertificate } from '../../server/transport.ts';

export async function listen(
  server: HttpServer,
  settings: Settings,
): Promise<{ url: string; localUrl: string }> {
  const { host, port } = settings;
  try {
    await server.listen({ host, port, listenTextResolver: () => 'listening' });
  } catch (error) {
    throw listenFailure(error, { host, port, hostSetting: '--host', portSetting: '--port' });
  }
  // With port 0, the system chooses a port.
  const address = server.server.address();
  const taken = typeof address === 'object' && address !== null ? address.port : port;
  const scheme = settings.behindProxy ? 'http' : 'https';
  const localUrl = `${scheme}://${hostInUrl(host)}:${taken}`;
  return { url: serverUrl({ ...settings, port: taken }), localUrl };
}

/** The part of the URL before `/v1`. @param settings - with the port actually in use. */
export function serverUrl(settings: Pick<Settings, 'host' | 'port' | 'publicUrl'>): string {
  const { host, port, publicUrl } = settings;
  return publicUrl ?? `https://${hostInUrl(host)}:${port}`;
}

/** Says how to fix system errors; others are returned unchanged. @param place - with the names of its settings. */
export function listenFailure(
  error: unknown,
  place: { host: string; port: number; hostSetting: string; portSetting: string },
): unknown {
  const { host, port, hostSetting, portSetting } = place;
  const inUse = `Port ${port} on ${host} is in use; stop the program that uses it, or choose another port with ${portSetting}.`;
  const notAllowed = `Port ${port} needs more privileges; choose one above 1023 with ${portSetting}.`;
  const notHere = `${host} is not an address of this machine; choose another with ${hostSetting}.`;
  const messages: Readonly<Record<string, string>> = {
    EADDRINUSE: inUse,
    EACCES: notAllowed,
    EADDRNOTAVAIL: notHere,
    ENOTFOUND: notHere,
    EAI_AGAIN: notHere,
  };
  const message = messages[systemCodeOf(error) ?? ''];
  if (message === undefined) return error;
  const code = message === inUse ? 'address_in_use' : 'config_invalid';
  return new ForensicsError(code, message, { cause: error });
}

function hostInUrl(host: string): string {
  const named = host === '0.0.0.0' || host === '::' ? hostname() : host;
  return named.includes(':') ? `[${named}]` : named;
}

/** What `serve` prints once it is listening. */
export interface Ready {
  readonly url: string;
  /** The address at which the server itself listens; differs from `url` behind a proxy. */
  readonly localUrl: string;
  readonly authority: TlsMaterial['authority'];
  readonly isBehindProxy: boolean;
  readonly firstRun: FirstRun | null;
  /** The page that creates the first account; null once there is one. */
  readonly firstAccountUrl: string | null;
}

/** The output for programs: one line with the same fields on every run. */
export function readyJson({ url, authority, firstRun, firstAccountUrl }: Ready): string {
  return JSON.stringify({
    url,
    caPath: authority?.path ?? null,
    caFingerprint256: authority?.fingerprint256 ?? null,
    tenantName: firstRun?.tenant.name ?? null,
    apiKey: firstRun?.key.secret ?? null,
    firstAccountUrl,
  });
}

/** The output for people on the first run: everything they need, and a command to try. */
export function welcome(ready: Ready): string | null {
  const { url, authority, firstRun, firstAccountUrl } = ready;
  if (firstRun === null) return null;
  const { tenant, key } = firstRun;
  const facts = {
    URL: url,
    'CA certificate': authority?.path,
    'SHA-256': authority?.fingerprint256,
    Tenant: tenant.name,
    'First account': firstAccountUrl && `${firstAccountUrl}   (works once)`,
    'API key': `${key.secret}   (shown only now; valid until ${key.expiresAt})`,
  };
  const lines = Object.entries(facts)
    .filter(([, value]) => value)
    .map(([name, value]) => `  ${`${name}:`.padEnd(16)}${value}\n`);
  return `forensics is ready.\n\n${lines.join('')}\nTry it:\n\n${curlLine(ready, firstRun)}\n`;
}

function curlLine(ready: Ready, { tenant, key }: FirstRun): string {
  const trust = ready.authority === null ? [] : ['--cacert', shellWord(ready.authority.path)];
  // The request bypasses the proxy, so it has to set the header that the proxy would set.
  const proxied = ready.isBehindProxy ? ['-H', shellWord('X-Forwarded-Proto: https')] : [];
  const address = shellWord(`${ready.localUrl}/v1/analysis?tenantName=${tenant.name}`);
  const header = ['-H', shellWord(`Authorization: ApiKey ${key.secret}`)];
  return ['curl', ...trust, ...proxied, ...header, address].join(' ');
}

// The certificate that `serve` uses: the operator's, one from our own authority, or none behind a proxy.

interface CertificateSource {
  readonly load: () => Promise<TlsMaterial>;
  /** How often to check for a new certificate. */
  readonly everyMs: number;
}

// Reading two small files is cheap, and lets a renewed certificate be used without a restart.
const filesEveryMs = 30_000;
// Our own leaf certificate is renewed thirty days before it expires.
const ownEveryMs = 12 * 3_600_000;

/** Null behind a proxy, which has its own certificate. */
export function certificateSource(settings: Settings): CertificateSource | null {
  const { tlsCert, tlsKey, publicUrl } = settings;
  if (settings.behindProxy) return null;
  if (tlsCert !== null && tlsKey !== null) {
    return { load: async () => readOwnTls(tlsCert, tlsKey, new Date()), everyMs: filesEveryMs };
  }
  const hosts = [settings.host];
  if (publicUrl !== null) hosts.push(new URL(publicUrl).hostname.replace(/^\[|\]$/g, ''));
  const load = async () => ensureLocalTls(settings.dataDir, hosts, new Date());
  return { load, everyMs: ownEveryMs };
}

export type KeptCertificate = ReturnType<typeof keepCertificate>;

const dayMs = 24 * 3_600_000;
const warnBeforeDays = 14;

/** Checks regularly for a new certificate until stopped. When a check fails, the current one stays in use. */
export function keepCertificate(
  { load, everyMs }: CertificateSource,
  first: TlsMaterial,
  { server, log }: { readonly server: HttpServer['server']; readonly log: KeeperLog },
  now: () => Date = () => new Date(),
) {
  let shown = first;
  let problem = '';
  let warnedAt: Date | null = null;

  async function replace(): Promise<void> {
    try {
      const found = await load();
      problem = '';
      if (found.cert === shown.cert && found.key === shown.key) return;
      showCertificate(server, found);
      shown = found;
      log.info({ endsAt: certificateEnd(shown) }, 'the certificate was replaced');
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      // Each problem is logged only once, because the next check follows soon.
      if (message !== problem) log.warn({ err: error }, 'the earlier certificate stays in use');
      problem = message;
    }
  }

  function warnBeforeEnd(): void {
    const at = now();
    const endsAt = certificateEnd(shown);
    const isFar = endsAt.getTime() - at.getTime() > warnBeforeDays * dayMs;
    const isRecent = warnedAt !== null && at.getTime() - warnedAt.getTime() < dayMs;
    if (isFar || isRecent) return;
    warnedAt = at;
    log.warn({ endsAt }, 'the certificate expires soon; renew it');
  }

  /** Checks for a new certificate now. Never rejects; errors are logged. */
  async function check(): Promise<void> {
    await replace();
    warnBeforeEnd();
  }

  const timer = setInterval(() => void check(), everyMs);
  timer.unref();
  return { check, endsAt: () => certificateEnd(shown), stop: () => clearInterval(timer) };
}

type KeeperLog = Record<'info' | 'warn', (fields: object, message: string) => void>;

function certificateEnd({ cert }: TlsMaterial): Date {
  return new X509Certificate(cert).validToDate;
}

// The log of a server or worker on standard error. When nobody reads it or its disk is full, lines are dropped and the
// server keeps running; the number of dropped lines is logged as soon as writing works again.

export type ServerLog = ReturnType<typeof createServerLog>;

/**
 * @param writeBytes - writes synchronously and returns the number of bytes written, or throws, such as `EAGAIN` when a
 *   reader does not keep up. (Node.js makes a pipe non-blocking once standard error is one of its streams.)
 */
export function createServerLog(
  writeBytes: (bytes: Uint8Array) => number = (bytes) => writeSync(process.stderr.fd, bytes),
) {
  // The rest of a partly written line. It is written first, so that every line stays whole.
  let rest: Uint8Array = new Uint8Array();
  let dropped = 0;
  let droppedInARow = 0;

  /** Returns false if the log accepts nothing more at the moment. */
  function flush(): boolean {
    try {
      while (rest.length > 0) rest = rest.subarray(writeBytes(rest));
      return true;
    } catch {
      // Only health and metrics can report this; they read the counts below.
      return false;
    }
  }

  /** @param line - including its line feed. */
  function write(line: string): void {
    if (flush()) {
      const gap = droppedInARow === 0 ? '' : `${droppedInARow} lines of this log were lost.\n`;
      const whole = Buffer.from(gap + line);
      rest = whole;
      if (flush() || rest.length < whole.length) {
        droppedInARow = 0;
        return;
      }
      rest = new Uint8Array();
    }
    dropped += 1;
    droppedInARow += 1;
  }

  return {
    write,
    /** Except with `--quiet`. Not through Node.js's stream, whose unread buffer would keep the process from exiting. */
    note: (text: string): void => {
      if (!switches().quiet) write(`${printable(text)}\n`);
    },
    dropped: () => dropped,
    /** Returns false while lines are being dropped. */
    isWorking: () => droppedInARow === 0,
  };
}
