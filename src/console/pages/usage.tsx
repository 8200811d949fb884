/** The usage of a tenant: in a period, and in total. */

import { useState } from 'preact/hooks';
import type { UsageReport } from '../../contract/usage.ts';
import { ask } from '../api/client.ts';
import { useConsole } from '../context.ts';
import { PeriodFields } from '../parts/form.tsx';
import { useLoaded } from '../parts/loading.ts';
import { Awaited, PageTitle, Panel } from '../parts/pieces.tsx';

export function UsagePage() {
  const { nav, usage } = useConsole();
  // In the report, days begin at midnight UTC.
  const today = new Date().toISOString().slice(0, 10);
  const [period, setPeriod] = useState({ from: `${today.slice(0, 7)}-01`, to: today });
  const total = useReport({});
  const range = useReport({ type: 'range', startTime: period.from, endTime: period.to });
  return (
    <>
      <PageTitle text={nav.usage} />
      <section class="panel">
        <div class="row apart end">
          <h2>{usage.period}</h2>
          <div class="row end">
            <PeriodFields period={period} onDay={(day) => setPeriod({ ...period, ...day })} />
          </div>
        </div>
        <Awaited loaded={range}>{(report) => <Tiles report={report} />}</Awaited>
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
