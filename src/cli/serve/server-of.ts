/** The HTTP server of an app, with what runs beside it: its certificate, its metrics, and a way to close them. */

import type { App } from '../../app.ts';
import type { Stack } from '../../app/stack.ts';
import type { Settings } from '../../config.ts';
import { listenForMetrics } from '../../server/metrics-listener.ts';
import type { MetricsListener } from '../../server/metrics-listener.ts';
import { createMetrics } from '../../server/metrics.ts';
import type { Metrics } from '../../server/metrics.ts';
import { createServer } from '../../server/server.ts';
import type { HttpServer } from '../../server/server.ts';
import type { TlsMaterial } from '../../server/tls.ts';
import { packageVersion } from '../package-version.ts';
import { certificateSource, keepCertificate } from './certificate.ts';
import type { KeptCertificate } from './certificate.ts';
import { listenFailure } from './listen.ts';

// A client that never finishes its request must not keep the server from stopping.
const drainMs = 10_000;
const idleSweepMs = 50;

interface Made {
  readonly server: HttpServer;
  readonly authority: TlsMaterial['authority'];
}

/** Ready to listen. What was opened is given back through the stack. */
export async function serverOf(app: App, settings: Settings, stack: Stack): Promise<Made> {
  const source = certificateSource(settings);
  const transport = source === null ? null : await source.load();
  let certificate: KeptCertificate | null = null;
  const metrics =
    settings.metricsAddress === null
      ? null
      : createMetrics({
          workload: () => app.workload(),
          certificateEndsAt: () => certificate?.endsAt() ?? null,
        });
  const version = packageVersion();
  const logTarget = process.stderr;
  const server = await createServer({ ...settings, app, transport, version, metrics, logTarget });
  stack.defer(() => closeServer(server));
  if (source !== null && transport !== null) {
    const kept = keepCertificate(source, transport, server);
    stack.defer(() => kept.stop());
    certificate = kept;
  }
  if (metrics !== null && settings.metricsAddress !== null) {
    const listener = await showMetrics(settings.metricsAddress, metrics, server);
    stack.defer(() => listener.close());
  }
  return { server, authority: transport?.authority ?? null };
}

async function showMetrics(
  address: string,
  metrics: Metrics,
  server: HttpServer,
): Promise<MetricsListener> {
  const { hostname: host, port } = new URL(`http://${address}`);
  const place = { host: host.replace(/^\[|\]$/g, ''), port: Number(port || 80) };
  const onError = (error: unknown) => server.log.error({ err: error }, 'metrics');
  try {
    const listener = await listenForMetrics(place, { metrics, onError });
    server.log.info({ port: listener.port }, 'metrics are shown');
    return listener;
  } catch (error) {
    const setting = 'metricsAddress';
    throw listenFailure(error, { ...place, hostSetting: setting, portSetting: setting });
  }
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
