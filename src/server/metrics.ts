/**
 * What Prometheus may know: how often and how fast each route answers, how much waits, and how the process is. Labels
 * are routes, methods, statuses and kinds of work; never a tenant, a key or a person.
 */

import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Workload } from '../service/health.ts';

export interface Metrics {
  /** Takes the time of every answer of this server; to be called before it is ready. */
  observe(server: FastifyInstance): void;
  /** In the text format of Prometheus. */
  text(): Promise<string>;
  readonly contentType: string;
}

interface MetricsParts {
  readonly workload: () => Promise<Workload>;
  /** When the certificate that is shown ends; null where a proxy shows its own. */
  readonly certificateEndsAt: () => Date | null;
  /** Since the start. */
  readonly droppedLogLines: () => number;
}

// Seconds. An upload or a rendering may take some; everything else is over within tens of milliseconds.
const buckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

export function createMetrics(parts: MetricsParts): Metrics {
  const { workload, certificateEndsAt, droppedLogLines } = parts;
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const answers = new Histogram({
    name: 'forensics_http_request_duration_seconds',
    help: 'Time until a request was answered, in seconds.',
    labelNames: ['method', 'route', 'status'],
    buckets,
    registers: [registry],
  });
  const gauges = workloadGauges(registry);
  const total = (name: string, help: string) =>
    new Counter({ name: `forensics_${name}_total`, help, registers: [registry] });
  const completed = total(
    'analyses_completed',
    'Analyses that were completed, by all processes since the installation was set up.',
  );
  const statements = total('database_statements', 'Statements of this process.');
  const statementSeconds = total(
    'database_seconds',
    'Seconds for which this process waited for statements.',
  );
  const dropped = total(
    'log_lines_dropped',
    'Lines of the log that were lost because nobody read it or its disk was full.',
  );

  return {
    observe(server) {
      server.addHook('onResponse', async (request, reply) => {
        const { method, routeOptions } = request;
        const labels = { method, route: routeOptions.url ?? 'unknown' };
        answers.observe({ ...labels, status: reply.raw.statusCode }, reply.elapsedTime / 1000);
      });
    },
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
  const jobs = gauge('jobs', 'Jobs that wait or are in hand, by kind.', ['kind']);
  const wait = gauge(
    'queue_age_seconds',
    'How long the first job that is due has waited, by kind.',
    ['kind'],
  );
  const inHand = gauge('jobs_in_hand', 'Jobs that this process works on.');
  const children = gauge('children', 'Child processes that look at pictures, by state.', ['state']);
  const waiting = gauge('tasks_waiting', 'Tasks that wait for a child process.');
  const deliveries = gauge('webhook_deliveries_waiting', 'Webhook messages that wait.');
  const givenUp = gauge(
    'webhook_deliveries_given_up',
    'Webhook messages that nobody took within the last 24 hours.',
  );
  const certificate = gauge(
    'certificate_end_timestamp_seconds',
    'When the certificate ends, in seconds since 1970.',
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
 * Where Prometheus reads: plain HTTP on an address of its own, so that it can stay internal. It serves one page and
 * needs no authentication; it contains nothing of a tenant.
 */
export interface MetricsListener {
  /** 0 was replaced by what the system chose. */
  readonly port: number;
  close(): Promise<void>;
}

interface ListenerParts {
  readonly metrics: Pick<Metrics, 'text' | 'contentType'>;
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
