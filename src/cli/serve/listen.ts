/** Listens on the address in the settings, and prints what the user needs once `serve` is listening. */

import { hostname } from 'node:os';
import type { FirstRun } from '../../service/first-run.ts';
import type { Settings } from '../../contract/config.ts';
import { ForensicsError } from '../../errors.ts';
import { systemCodeOf } from '../../ports/files/system-errors.ts';
import type { HttpServer } from '../../server/server.ts';
import type { TlsMaterial } from '../../server/tls.ts';
import { shellWord } from '../output/terminal.ts';

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

interface ListenAddress {
  readonly host: string;
  readonly port: number;
  /** Names of the settings for host and port. */
  readonly hostSetting: string;
  readonly portSetting: string;
}

/** Turns system errors into messages that say how to fix them; other errors are returned unchanged. */
export function listenFailure(error: unknown, place: ListenAddress): unknown {
  const { host, port, hostSetting, portSetting } = place;
  switch (systemCodeOf(error)) {
    case 'EADDRINUSE': {
      const message = `Port ${port} on ${host} is in use; stop the program that uses it, or choose another port with ${portSetting}.`;
      return new ForensicsError('address_in_use', message, { cause: error });
    }
    case 'EACCES': {
      const message = `Port ${port} needs more privileges; choose one above 1023 with ${portSetting}.`;
      return new ForensicsError('config_invalid', message, { cause: error });
    }
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN': {
      const message = `${host} is not an address of this machine; choose another with ${hostSetting}.`;
      return new ForensicsError('config_invalid', message, { cause: error });
    }
    case null:
    default:
      return error;
  }
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

/** For programs: one line with the same fields on every run. */
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

/** For people, on the first run: everything they need, and a command to try. */
export function welcome(ready: Ready): string | null {
  const { url, authority, firstRun } = ready;
  if (firstRun === null) return null;
  const facts: (readonly [string, string])[] = [
    ['URL', url],
    ...(authority === null
      ? []
      : ([
          ['CA certificate', authority.path],
          ['SHA-256', authority.fingerprint256],
        ] as const)),
    ['Tenant', firstRun.tenant.name],
    ...(ready.firstAccountUrl === null
      ? []
      : ([['First account', `${ready.firstAccountUrl}   (works once)`]] as const)),
    ['API key', `${firstRun.key.secret}   (shown only now; valid until ${firstRun.key.expiresAt})`],
  ];
  const lines = facts.map(([name, value]) => `  ${`${name}:`.padEnd(16)}${value}`);
  return [
    'forensics is ready.',
    '',
    ...lines,
    '',
    'Try it:',
    '',
    curlLine(ready, firstRun),
    '',
  ].join('\n');
}

function curlLine(ready: Ready, { tenant, key }: FirstRun): string {
  const trust = ready.authority === null ? [] : ['--cacert', shellWord(ready.authority.path)];
  // The request bypasses the proxy, so it has to set the header that the proxy would set.
  const proxied = ready.isBehindProxy ? ['-H', shellWord('X-Forwarded-Proto: https')] : [];
  const address = shellWord(`${ready.localUrl}/v1/analysis?tenantName=${tenant.name}`);
  const header = ['-H', shellWord(`Authorization: ApiKey ${key.secret}`)];
  return ['curl', ...trust, ...proxied, ...header, address].join(' ');
}
