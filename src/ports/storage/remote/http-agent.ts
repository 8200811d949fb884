import { Agent } from 'node:http';
import { Agent as SecureAgent } from 'node:https';
import { Socket } from 'node:net';
import type { ConnectionGuard } from '../../network/address-guard.ts';

/** Time limits for a remote store. */
interface Timeouts {
  /** Until the connection is established, including TLS. */
  readonly connectMs: number;
  /** Without a single byte in either direction. */
  readonly idleMs: number;
  /** For one request, from its first byte to the last byte of its response, however steadily bytes arrive. */
  readonly totalMs: number;
  /** Before the first retry; doubles with each. */
  readonly retryDelayMs: number;
}

export class StoreTimeout extends Error {
  override readonly name = 'StoreTimeout';
  readonly code = 'ETIMEDOUT';
}

export const defaultTimeouts: Timeouts = {
  connectMs: 5000,
  idleMs: 30_000,
  // 50 MiB at 7 Mbit/s.
  totalMs: 60_000,
  retryDelayMs: 200,
};

export interface RemoteSettings {
  readonly timeouts?: Partial<Timeouts>;
  /** Certificate authorities to trust instead of the system's, in PEM. */
  readonly ca?: string;
  /** Default: 50 MiB. */
  readonly maxObjectBytes?: number;
  /** Checks the addresses connected to; all are allowed if absent. */
  readonly guard?: ConnectionGuard;
}

/**
 * Keeps connections alive, closes them if the other side does not respond, and never connects to an address that the
 * guard forbids.
 */
export function createAgent(useSSL: boolean, settings: RemoteSettings): Agent {
  const { ca, guard } = settings;
  const timeouts = { ...defaultTimeouts, ...settings.timeouts };
  const options = {
    keepAlive: true,
    timeout: timeouts.idleMs,
    lookup: guard && guard.lookup,
  };
  const agent = useSSL
    ? new SecureAgent({ ...options, ...(ca === undefined ? {} : { ca }) })
    : new Agent(options);
  const connect = agent.createConnection.bind(agent);
  agent.createConnection = (target, callback) => {
    const refusal = guard?.refusalOf(target.host ?? '') ?? null;
    if (refusal !== null) {
      callback?.(refusal, new Socket());
      return undefined;
    }
    const connection = connect(target, callback);
    if (!(connection instanceof Socket)) throw new TypeError('Expected a socket.');
    limitTime(connection, useSSL ? 'secureConnect' : 'connect', timeouts);
    return connection;
  };
  const reuse = agent.reuseSocket.bind(agent);
  agent.reuseSocket = (connection, request) => {
    // While idle, the connection had the timeout announced by the server.
    if (connection instanceof Socket) connection.setTimeout(timeouts.idleMs);
    reuse(connection, request);
  };
  return agent;
}

function limitTime(socket: Socket, connected: string, { connectMs, idleMs }: Timeouts): void {
  // On the socket itself, so that it works with every client library.
  const end = (why: string) => socket.destroy(new StoreTimeout(why));
  const timer = setTimeout(() => end('No connection within the time allowed.'), connectMs);
  const stop = () => clearTimeout(timer);
  socket.once(connected, stop).once('close', stop);
  socket.setTimeout(idleMs, () => end('No byte within the time allowed.'));
}
