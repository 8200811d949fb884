/** Where the server listens, and what it says when it cannot. */

import type { AddressInfo } from 'node:net';
import { hostname } from 'node:os';
import type { Settings } from '../../config.ts';
import { ForensicsError } from '../../errors.ts';
import type { HttpServer } from '../../server/server.ts';
import { systemCodeOf } from '../../errors/system-code.ts';

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
  // Not port itself: 0 lets the system choose.
  const taken = portOf(server.server.address()) ?? port;
  const scheme = settings.behindProxy ? 'http' : 'https';
  const localUrl = `${scheme}://${hostInUrl(host)}:${taken}`;
  return { url: publicUrlOf({ ...settings, port: taken }), localUrl };
}

/** What clients put before `/v1`. @param settings - with the port that is really listened to. */
export function publicUrlOf(settings: Pick<Settings, 'host' | 'port' | 'publicUrl'>): string {
  const { host, port, publicUrl } = settings;
  return publicUrl ?? `https://${hostInUrl(host)}:${port}`;
}

function portOf(address: AddressInfo | string | null): number | null {
  return typeof address === 'object' && address !== null ? address.port : null;
}

interface Place {
  readonly host: string;
  readonly port: number;
  /** Names of what the place was chosen with. */
  readonly hostSetting: string;
  readonly portSetting: string;
}

/** What the system said, in words that tell what to do; other failures pass unchanged. */
export function listenFailure(error: unknown, place: Place): unknown {
  const { host, port, hostSetting, portSetting } = place;
  switch (systemCodeOf(error)) {
    case 'EADDRINUSE': {
      const message = `Port ${port} of ${host} is in use; stop what listens there, or choose another with ${portSetting}.`;
      return new ForensicsError('address_in_use', message, { cause: error });
    }
    case 'EACCES': {
      const message = `Port ${port} needs more rights; choose one above 1023 with ${portSetting}.`;
      return new ForensicsError('config_invalid', message, { cause: error });
    }
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN': {
      const message = `${host} is no address of this machine; choose another with ${hostSetting}.`;
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
