/** The usage of a tenant: in total and by day. */

import { useState } from 'preact/hooks';
import type { UsageReport } from '../../contract/usage.ts';
import { usageColumns, valuesOfDay } from '../../present/csv.ts';
import { createNumberWriter } from '../../present/numbers.ts';
import { ask } from '../api/client.ts';
import { useConsole } from '../context.ts';
import { saveCsv } from '../parts/files.tsx';
import { TextField } from '../parts/form.tsx';
import { useLoaded } from '../parts/loading.ts';
import { Awaited, Button, PageTitle, Panel } from '../parts/pieces.tsx';

interface Day {
  /** For example 2026-03-01. In the report, days begin at midnight UTC. */
  readonly day: string;
  readonly report: UsageReport;
}

const dayMs = 86_400_000;
const maxDays = 92;
const parallel = 6;

export function UsagePage() {
  const { nav, list, usage, tenantName } = useConsole();
  const today = new Date().toISOString().slice(0, 10);
  const [from, setFrom] = useState(
    new Date(Date.parse(today) - 29 * dayMs).toISOString().slice(0, 10),
  );
  const [to, setTo] = useState(today);
  const days = daysBetween(from, to);
  const total = useLoaded(tenantName, {
    load: (signal) => ask<UsageReport>('/v1/tenant/report', { query: { tenantName }, signal }),
  });
  const daily = useLoaded(`${tenantName} ${from} ${to}`, {
    load: (signal) => (days === null ? Promise.resolve([]) : loadDays(tenantName, days, signal)),
  });
  return (
    <>
      <PageTitle text={nav.usage} />
      <Panel title={usage.total}>
        <Awaited loaded={total}>{(report) => <Tiles report={report} />}</Awaited>
      </Panel>
      <section class="panel">
        <div class="row apart end">
          <h2>{usage.perDay}</h2>
          <div class="row end">
            <TextField label={list.from} type="date" max={to} value={from} onValue={setFrom} />
            <TextField label={list.to} type="date" max={today} value={to} onValue={setTo} />
            <Button
              disabled={daily.data === null || daily.data.length === 0}
              onClick={() => saveCsv('usage.csv', toTable(daily.data ?? []))}
            >
              {list.csv}
            </Button>
          </div>
        </div>
        {days === null && <p class="notice warn">{usage.tooLong}</p>}
        <Awaited loaded={daily}>{(found) => found.length > 0 && <Chart days={found} />}</Awaited>
      </section>
    </>
  );
}

function Tiles({ report }: { readonly report: UsageReport }) {
  const { list, usage, language } = useConsole();
  const { successfulProcessing: processed, impediments, qualityIndicators } = report;
  const { single, bulk } = report.processingDurations.byModelTypeAndParallelism.image;
  const figures: readonly (readonly [string, number | null, string?])[] = [
    [usage.completed, processed.byResult.total],
    [usage.queued, report.queuedAnalyses],
    [list.results.real, processed.byResult.real],
    [list.results.fake, processed.byResult.fake],
    [list.results.uncertain, processed.byResult.uncertain],
    [list.results.abstain, processed.byResult.abstain],
    [usage.flagging, processed.byModelTypeAndTier.image.flagging],
    [usage.forensic, processed.byModelTypeAndTier.image.forensicReporting],
    [usage.byApi, processed.byType.api],
    [usage.byApp, processed.byType.app],
    [usage.logins, report.userInteraction.appLogins],
    [usage.errors, impediments.processingErrors],
    [usage.retries, impediments.retries],
    [usage.errorRate, qualityIndicators.errorRatePercent, ' %'],
    [usage.single, single],
    [usage.bulk, bulk],
  ];
  return (
    <dl class="tiles">
      {figures.map(([name, value, unit = '']) => (
        <div key={name}>
          <dt class="soft small">{name}</dt>
          <dd>
            {value === null
              ? '–'
              : `${value.toLocaleString(language, { maximumFractionDigits: 2 })}${unit}`}
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Chart({ days }: { readonly days: readonly Day[] }) {
  const { usage, language } = useConsole();
  const counts = days.map(({ report }) => report.successfulProcessing.byResult.total);
  const most = Math.max(...counts);
  const { stated } = createNumberWriter(language);
  if (most === 0) return <p class="soft">{usage.none}</p>;
  return (
    <figure class="stack">
      <div class="chart" aria-hidden="true">
        {days.map(({ day }, at) => (
          <span
            key={day}
            title={`${stated(day)}: ${counts[at]!}`}
            style={{ height: `${(100 * counts[at]!) / most}%` }}
          />
        ))}
      </div>
      <figcaption class="row apart soft small">
        <span>{stated(days[0]!.day)}</span>
        <span>{`max. ${most.toLocaleString(language)}`}</span>
        <span>{stated(days.at(-1)!.day)}</span>
      </figcaption>
      <table class="hidden">
        <caption>{usage.perDay}</caption>
        <tbody>
          {days.map(({ day }, at) => (
            <tr key={day}>
              <th scope="row">{stated(day)}</th>
              <td>{counts[at]}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </figure>
  );
}

/** Null if there is no period, or if it would take too many requests. */
export function daysBetween(from: string, to: string): readonly string[] | null {
  const [first, last] = [Date.parse(from), Date.parse(to)];
  const count = (last - first) / dayMs + 1;
  if (!Number.isInteger(count) || count < 1 || count > maxDays) return null;
  return Array.from({ length: count }, (_, at) =>
    new Date(first + at * dayMs).toISOString().slice(0, 10),
  );
}

async function loadDays(
  tenantName: string,
  days: readonly string[],
  signal: AbortSignal,
): Promise<readonly Day[]> {
  const found: Day[] = [];
  for (let at = 0; at < days.length; at += parallel) {
    const some = days.slice(at, at + parallel).map(async (day) => {
      const query = { tenantName, type: 'range', startTime: day, endTime: day };
      return { day, report: await ask<UsageReport>('/v1/tenant/report', { query, signal }) };
    });
    found.push(...(await Promise.all(some)));
  }
  return found;
}

function toTable(days: readonly Day[]) {
  return [Object.keys(usageColumns), ...days.map(({ report }) => valuesOfDay(report))];
}
