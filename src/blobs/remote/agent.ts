import { Agent } from 'node:http';
import { Agent as SecureAgent } from 'node:https';
import type { Duplex } from 'node:stream';
import { Socket } from 'node:net';
import type { ConnectionGuard, Timeouts } from './timeouts.ts';

/** Raised on the connection itself, so that every client library on top of it hears of it. */
export class StoreTimeout extends Error {
  override readonly name = 'StoreTimeout';
  readonly code = 'ETIMEDOUT';
}

export interface AgentSettings {
  readonly useSSL: boolean;
  readonly ca?: string | undefined;
  readonly timeouts: Timeouts;
  readonly guard?: ConnectionGuard | undefined;
}

/** Connections that are kept for the next request, and that end when the other side does not answer. */
export function createAgent({ useSSL, ca, timeouts, guard }: AgentSettings): Agent {
  const options = { keepAlive: true, timeout: timeouts.idleMs, lookup: guard?.lookup };
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
    if (connection instanceof Socket) watch(connection, useSSL, timeouts);
    return connection;
  };
  return agent;
}

function watch(socket: Socket & Duplex, useSSL: boolean, timeouts: Timeouts): void {
  const timer = setTimeout(() => {
    socket.destroy(new StoreTimeout('No connection within the time allowed.'));
  }, timeouts.connectMs);
  const stop = () => clearTimeout(timer);
  socket.once(useSSL ? 'secureConnect' : 'connect', stop).once('close', stop);
  socket.setTimeout(timeouts.idleMs, () => {
    socket.destroy(new StoreTimeout('No byte within the time allowed.'));
  });
}
