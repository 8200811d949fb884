/**
 * Metrics for Prometheus: how often and how fast each route answers, how much is queued, and the state of the process.
 * Labels are routes, methods, statuses and kinds of work; never a tenant, key or person.
 */

import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Workload } from '../service/health.ts';

export type Metrics = ReturnType<typeof createMetrics>;

interface MetricsParts {
  readonly workload: () => Promise<Workload>;
  /** When the served certificate expires; null behind a proxy that has its own certificate. */
  readonly certificateEndsAt: () => Date | null;
  readonly droppedLogLines: () => number;
}

// In seconds. Uploads and rendering may take a few; everything else takes tens of milliseconds.
const buckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

export function createMetrics(parts: MetricsParts) {
  const { workload, certificateEndsAt, droppedLogLines } = parts;
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const answers = new Histogram({
    name: 'forensics_http_request_duration_seconds',
    help: 'Time to answer a request, in seconds.',
    labelNames: ['method', 'route', 'status'],
    buckets,
    registers: [registry],
  });
  const gauges = workloadGauges(registry);
  const total = (name: string, help: string) =>
    new Counter({ name: `forensics_${name}_total`, help, registers: [registry] });
  const completed = total(
    'analyses_completed',
    'Analyses completed by all processes since the installation was set up.',
  );
  const statements = total('database_statements', 'Database statements of this process.');
  const statementSeconds = total(
    'database_seconds',
    'Seconds this process spent waiting for database statements.',
  );
  const dropped = total(
    'log_lines_dropped',
    'Log lines dropped because nobody read them or the disk was full.',
  );

  return {
    /** Measures the duration of every response of this server; call it before the server is ready. */
    observe(server: FastifyInstance) {
      server.addHook('onResponse', async (request, reply) => {
        const { method, routeOptions } = request;
        const labels = { method, route: routeOptions.url ?? 'unknown' };
        answers.observe({ ...labels, status: reply.raw.statusCode }, reply.elapsedTime / 1000);
      });
    },
    /** In the Prometheus text format. */
    async text() {
      const load = await workload();
      gauges.set(load, certificateEndsAt());
      setTo(completed, load.analysesCompleted);
      setTo(statements, load.statements.count);
      setTo(statementSeconds, load.statements.ms / 1000);
      setTo(dropped, droppedLogLines());
      return registry.metrics();
    },
    contentType: registry.contentType,
  };
}

function setTo(counter: Counter, value: number): void {
  counter.reset();
  counter.inc(value);
}

function workloadGauges(registry: Registry) {
  const gauge = <Label extends string>(name: string, help: string, labelNames: Label[] = []) =>
    new Gauge({ name: `forensics_${name}`, help, labelNames, registers: [registry] });
  const jobs = gauge('jobs', 'Jobs waiting or running, by kind.', ['kind']);
  const wait = gauge('queue_age_seconds', 'How long the oldest due job has waited, by kind.', [
    'kind',
  ]);
  const inHand = gauge('jobs_in_hand', 'Jobs running in this process.');
  const children = gauge('children', 'Child processes that examine pictures, by state.', ['state']);
  const waiting = gauge('tasks_waiting', 'Tasks waiting for a child process.');
  const deliveries = gauge('webhook_deliveries_waiting', 'Webhook messages waiting for delivery.');
  const givenUp = gauge(
    'webhook_deliveries_given_up',
    'Webhook messages whose delivery was abandoned within the last 24 hours.',
  );
  const certificate = gauge(
    'certificate_end_timestamp_seconds',
    'When the certificate expires, in seconds since 1970.',
  );

  return {
    set(load: Workload, certificateEndsAt: Date | null): void {
      for (const [kind, amount] of Object.entries(load.jobs)) jobs.set({ kind }, amount);
      for (const [kind, ms] of Object.entries(load.waitMs)) wait.set({ kind }, ms / 1000);
      inHand.set(load.jobsInHand);
      children.set({ state: 'busy' }, load.children.busy);
      children.set({ state: 'idle' }, load.children.children - load.children.busy);
      waiting.set(load.children.waiting);
      deliveries.set(load.deliveries.waiting);
      givenUp.set(load.deliveries.givenUpInADay);
      if (certificateEndsAt !== null) certificate.set(certificateEndsAt.getTime() / 1000);
    },
  };
}

/**
 * The endpoint for Prometheus: plain HTTP at a separate address, so that it can be kept internal. It serves a single
 * page without authentication and without anything about tenants.
 */
export interface MetricsListener {
  /** The actual port, when 0 was requested. */
  readonly port: number;
  close(): Promise<void>;
}

interface ListenerParts {
  readonly metrics: Pick<Metrics, 'text'> & { readonly contentType: string };
  readonly onError: (error: unknown) => void;
}

export async function listenForMetrics(
  { host, port }: { readonly host: string; readonly port: number },
  parts: ListenerParts,
): Promise<MetricsListener> {
  const server = createServer((request, response) => void answer(request, response, parts));
  server.listen(port, host);
  await once(server, 'listening');
  const taken = server.address();
  return {
    port: typeof taken === 'object' ? (taken?.port ?? port) : port,
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  { metrics, onError }: ListenerParts,
): Promise<void> {
  const isKnown = request.url === '/metrics' && request.method === 'GET';
  if (!isKnown) return void response.writeHead(404).end();
  try {
    const text = await metrics.text();
    response.writeHead(200, { 'content-type': metrics.contentType, 'cache-control': 'no-store' });
    response.end(text);
  } catch (error) {
    onError(error);
    response.writeHead(500).end();
  }
}
