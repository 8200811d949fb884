/** Metrics for Prometheus. Labels are routes, methods, statuses and kinds of work; never a tenant, key or person. */

import { fastify, type FastifyInstance } from 'fastify';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Workload } from '../service/health.ts';

export type Metrics = ReturnType<typeof createMetrics>;

// In seconds. Uploads and rendering may take a few; everything else takes tens of milliseconds.
const buckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** Numbers without labels. Only totals never fall. */
const figures = {
  jobs_in_hand: 'Jobs running in this process.',
  tasks_waiting: 'Tasks waiting for a child process.',
  webhook_deliveries_waiting: 'Webhook messages waiting for delivery.',
  webhook_deliveries_given_up:
    'Webhook messages whose delivery was abandoned within the last 24 hours.',
  certificate_end_timestamp_seconds: 'When the certificate expires, in seconds since 1970.',
  analyses_completed_total:
    'Analyses completed by all processes since the installation was set up.',
  database_statements_total: 'Database statements of this process.',
  database_seconds_total: 'Seconds this process spent waiting for database statements.',
  log_lines_dropped_total: 'Log lines dropped because nobody read them or the disk was full.',
};

function readFigures(load: Load): Readonly<Record<keyof typeof figures, number>> {
  return {
    jobs_in_hand: load.jobsInHand,
    tasks_waiting: load.children.waiting,
    webhook_deliveries_waiting: load.deliveries.waiting,
    webhook_deliveries_given_up: load.deliveries.givenUpInADay,
    certificate_end_timestamp_seconds: (load.certificateEndsAt?.getTime() ?? 0) / 1000,
    analyses_completed_total: load.analysesCompleted,
    database_statements_total: load.statements.count,
    database_seconds_total: load.statements.ms / 1000,
    log_lines_dropped_total: load.droppedLogLines,
  };
}

interface Load extends Workload {
  /** Null behind a proxy that has its own certificate. */
  readonly certificateEndsAt: Date | null;
  readonly droppedLogLines: number;
}

export function createMetrics(parts: {
  readonly workload: () => Promise<Workload>;
  readonly certificateEndsAt: () => Load['certificateEndsAt'];
  readonly droppedLogLines: () => number;
}) {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const answers = new Histogram({
    name: 'forensics_http_request_duration_seconds',
    help: 'Time to answer a request, in seconds.',
    labelNames: ['method', 'route', 'status'],
    buckets,
    registers,
  });
  const gaugeBy = <Label extends string>(label: Label, name: string, help: string) =>
    new Gauge({ name: `forensics_${name}`, help, labelNames: [label], registers });
  const jobs = gaugeBy('kind', 'jobs', 'Jobs waiting or running, by kind.');
  const waitHelp = 'How long the oldest due job has waited, by kind.';
  const wait = gaugeBy('kind', 'queue_age_seconds', waitHelp);
  const children = gaugeBy('state', 'children', 'Child processes that examine pictures, by state.');
  const plain = new Map<string, Counter | Gauge>();
  for (const [name, help] of Object.entries(figures)) {
    const options = { name: `forensics_${name}`, help, registers };
    plain.set(name, name.endsWith('_total') ? new Counter(options) : new Gauge(options));
  }

  return {
    /** Measures the duration of every response of this server; call it before the server is ready. */
    observe(server: FastifyInstance) {
      server.addHook('onResponse', async (request, reply) => {
        const { method, routeOptions } = request;
        const labels = { method, route: routeOptions.url ?? 'unknown' };
        answers.observe({ ...labels, status: reply.raw.statusCode }, reply.elapsedTime / 1000);
      });
    },
    async text() {
      const droppedLogLines = parts.droppedLogLines();
      const certificateEndsAt = parts.certificateEndsAt();
      const now = { ...(await parts.workload()), droppedLogLines, certificateEndsAt };
      for (const [kind, amount] of Object.entries(now.jobs)) jobs.set({ kind }, amount);
      for (const [kind, ms] of Object.entries(now.waitMs)) wait.set({ kind }, ms / 1000);
      children.set({ state: 'busy' }, now.children.busy);
      children.set({ state: 'idle' }, now.children.children - now.children.busy);
      for (const [name, value] of Object.entries(readFigures(now))) {
        plain.get(name)!.reset();
        plain.get(name)!.inc(value);
      }
      return registry.metrics();
    },
    contentType: registry.contentType,
  };
}

/** Plain HTTP at a separate address, so that it can be kept internal; without authentication or tenants. */
export async function listenForMetrics(
  place: { readonly host: string; readonly port: number },
  parts: {
    readonly metrics: Pick<Metrics, 'text'> & { readonly contentType: string };
    readonly onError: (error: unknown) => void;
  },
) {
  const server = fastify({ forceCloseConnections: true });
  server.setNotFoundHandler((_request, reply) => reply.code(404).send());
  server.setErrorHandler((error, _request, reply) => {
    parts.onError(error);
    return reply.code(500).send();
  });
  server.get('/metrics', async (_request, reply) => {
    const text = await parts.metrics.text();
    return reply
      .headers({ 'cache-control': 'no-store' })
      .type(parts.metrics.contentType)
      .send(text);
  });
  await server.listen(place);
  const taken = server.server.address();
  return {
    /** The actual port, when 0 was requested. */
    port: typeof taken === 'object' ? (taken?.port ?? place.port) : place.port,
    close: () => server.close(),
  };
}
