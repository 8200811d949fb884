/** The usage of a tenant: in a period, and in total. */

import { useState } from 'preact/hooks';
import type { UsageReport } from '../../contract/usage.ts';
import { useConsole } from '../context.ts';
import { PeriodFields } from '../parts/form.tsx';
import { useTenantData } from '../parts/loading.ts';
import { Awaited, Facts, PageTitle, Panel } from '../parts/pieces.tsx';

const path = '/v1/tenant/report';

export function UsagePage() {
  const { nav, usage } = useConsole();
  // In the report, days begin at midnight UTC.
  const today = new Date().toISOString().slice(0, 10);
  const [period, setPeriod] = useState({ from: `${today.slice(0, 7)}-01`, to: today });
  const total = useTenantData<UsageReport>(path);
  const range = useTenantData<UsageReport>(path, {
    type: 'range',
    startTime: period.from,
    endTime: period.to,
  });
  return (
    <>
      <PageTitle text={nav.usage} />
      <div class="columns">
        <Panel title={usage.period}>
          <div class="row">
            <PeriodFields period={period} onDay={(day) => setPeriod({ ...period, ...day })} />
          </div>
          <Awaited loaded={range}>{(report) => <Figures report={report} />}</Awaited>
        </Panel>
        <Panel title={usage.total}>
          <Awaited loaded={total}>{(report) => <Figures report={report} />}</Awaited>
        </Panel>
      </div>
    </>
  );
}

function Figures({ report }: { readonly report: UsageReport }) {
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
    <Facts
      rows={figures.map(([name, value, unit = '']) => [
        name,
        `${value?.toLocaleString(language, { maximumFractionDigits: 2 }) ?? '–'}${unit}`,
      ])}
    />
  );
}
