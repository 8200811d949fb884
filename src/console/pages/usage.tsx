/** The usage of a tenant: in a period, and in total. */

import { useState } from 'preact/hooks';
import type { UsageReport } from '../../contract/usage.ts';
import { ask } from '../api/client.ts';
import { useConsole } from '../context.ts';
import { TextField } from '../parts/form.tsx';
import { useLoaded } from '../parts/loading.ts';
import { Awaited, PageTitle, Panel } from '../parts/pieces.tsx';

export function UsagePage() {
  const { nav, list, usage } = useConsole();
  // In the report, days begin at midnight UTC.
  const today = new Date().toISOString().slice(0, 10);
  const [from, setFrom] = useState(`${today.slice(0, 7)}-01`);
  const [to, setTo] = useState(today);
  const total = useReport({});
  const period = useReport({ type: 'range', startTime: from, endTime: to });
  return (
    <>
      <PageTitle text={nav.usage} />
      <section class="panel">
        <div class="row apart end">
          <h2>{usage.period}</h2>
          <div class="row end">
            <TextField label={list.from} type="date" max={to} value={from} onValue={setFrom} />
            <TextField label={list.to} type="date" max={today} value={to} onValue={setTo} />
          </div>
        </div>
        <Awaited loaded={period}>{(report) => <Tiles report={report} />}</Awaited>
      </section>
      <Panel title={usage.total}>
        <Awaited loaded={total}>{(report) => <Tiles report={report} />}</Awaited>
      </Panel>
    </>
  );
}

function useReport(period: Readonly<Record<string, string>>) {
  const { tenantName } = useConsole();
  const query = { tenantName, ...period };
  return useLoaded(JSON.stringify(query), {
    load: (signal) => ask<UsageReport>('/v1/tenant/report', { query, signal }),
  });
}

function Tiles({ report }: { readonly report: UsageReport }) {
  const { list, upload, usage, language } = useConsole();
  const { successfulProcessing: processed, impediments, qualityIndicators } = report;
  const { single, bulk } = report.processingDurations.byModelTypeAndParallelism.image;
  const figures: readonly (readonly [string, number | null, string?])[] = [
    [list.statuses.completed, processed.byResult.total],
    [usage.queued, report.queuedAnalyses],
    [list.results.real, processed.byResult.real],
    [list.results.fake, processed.byResult.fake],
    [list.results.uncertain, processed.byResult.uncertain],
    [list.results.abstain, processed.byResult.abstain],
    [upload.tiers.flagging, processed.byModelTypeAndTier.image.flagging],
    [upload.tiers.forensicReporting, processed.byModelTypeAndTier.image.forensicReporting],
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
