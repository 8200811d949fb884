/** The pictures in one case, those that need attention first, and a one-sentence summary of them all. */

import { useEffect, useState } from 'preact/hooks';
import type { Analysis } from '../../contract/analysis.ts';
import type { SeenBefore } from '../../contract/seen-before.ts';
import { type CaseMember, inCaseOrder, writeCaseSummary } from '../../present/cases.ts';
import { wordsIn } from '../../present/wording/catalogue.ts';
import { listAllAnalyses } from '../api/analyses.ts';
import { useConsole } from '../context.ts';
import { saveAnalyses, useDownloads } from '../parts/files.tsx';
import { growingPause, useLoaded } from '../parts/loading.ts';
import { Buttons, isAtWork, isCompleted, isNotStarted, PageTitle } from '../parts/pieces.tsx';
import { rememberSequence, useRowKeys } from '../parts/review.tsx';
import { pageSize, RangePager, Table } from '../parts/table.tsx';
import { readVerdict, writeReason, writeVerdict } from '../parts/verdict.ts';
import { useActs, useMainColumns } from './analysis-rows.tsx';
import { DropZone } from './drop.tsx';
import { SeenLines, useExaminations } from './other-pictures.tsx';

export function CasePage({ name }: { readonly name: string }) {
  const { analysis: labels, cases: text, tenantName, language } = useConsole();
  const { pictures, order } = wordsIn(language).cases;
  const [start, setStart] = useState(0);
  const { data, error, reload } = useLoaded(`case ${tenantName} ${name}`, {
    // All, because the pictures that need attention may be the oldest.
    load: (signal) => listAllAnalyses(tenantName, { projectId: name }, signal),
    pause: (page, unchanged) => (page.entries.some(isAtWork) ? growingPause(unchanged) : null),
  });
  const examined = (data?.entries ?? []).filter(isCompleted);
  // A list lacks the evidence, which contains the reason, and other pictures that show the same thing.
  const known = useExaminations(examined.map(({ id }) => id));
  const open = examined.length - known.size;
  const seenOf = ({ id }: Analysis) => known.get(id)?.seen ?? [];
  const memberOf = (analysis: Analysis) => toMember(analysis, seenOf(analysis));
  const details = data?.entries.map((entry) => {
    const { inferenceStatus } = known.get(entry.id)?.analysis ?? entry;
    return { ...entry, inferenceStatus };
  });
  const entries = inCaseOrder(details ?? [], memberOf);
  const shown = entries.slice(start, start + pageSize);
  const { column, edit, dialogs } = useActs(reload, reload);
  const hint = useRowKeys((row) => shown[row] && edit(shown[row]));
  const columns = useMainColumns(shown, true, (analysis) => (
    <>
      {/* Until the details arrive, it is not known why. */}
      {analysis.inferenceStatus.result?.evidence === undefined
        ? writeReason(analysis, language)
        : writeVerdict(analysis, language)?.because}
      <SeenLines seen={seenOf(analysis)} analysis={analysis} />
    </>
  ));
  useEffect(() => {
    const ids = entries.map(({ id }) => id);
    rememberSequence({ ids, start: 0, total: ids.length, load: async () => [] });
  });
  return (
    <>
      <p>
        <a href="#/analyses">‹ {labels.back}</a>
      </p>
      <div class="row apart">
        <PageTitle text={text.title(name)} />
        {entries.length > 0 && <Downloads name={name} entries={entries} />}
      </div>
      {entries.length > 0 && (
        <p class="lead">{writeCaseSummary(entries.map(memberOf), language, data?.ofOneCamera)}</p>
      )}
      {open > 0 && <p class="soft">{text.comparing(open)}</p>}
      <DropZone projectId={name} onProgress={reload} />
      <section class="panel flush" aria-label={text.title(name)}>
        <div class="toolbar row apart">
          <span class="soft small">
            {entries.length > 0 && `${pictures(entries.length)}. ${order}`}
          </span>
          <div class="row">
            {hint}
            {entries.length > pageSize && (
              <RangePager start={start} total={entries.length} setStart={setStart} />
            )}
          </div>
        </div>
        <Table
          loaded={{ data: data === null ? null : shown, error, reload }}
          empty={<p>{text.empty}</p>}
          columns={[...columns, column]}
          keyOf={({ id }) => id}
        />
      </section>
      {dialogs}
    </>
  );
}

function Downloads({ name, entries }: { name: string; entries: readonly Analysis[] }) {
  const { analysis, cases: text, list, language } = useConsole();
  const { isBusy, save } = useDownloads();
  const path = '/v1/analysis/case';
  const query = { projectId: name };
  const saveReport = () =>
    save(`case-${name}-${language}.pdf`, `${path}/report`, { ...query, language });
  return (
    <Buttons
      disabled={isBusy}
      acts={[
        [text.report, saveReport],
        [analysis.bundle, () => save(`case-${name}.zip`, `${path}/bundle`, query)],
        [list.csvAll, () => saveAnalyses(entries, `case-${name}.csv`)],
      ]}
    />
  );
}

function toMember(analysis: Analysis, seenBefore: readonly SeenBefore[]): CaseMember {
  const { projectId, inferenceStatus } = analysis;
  const { status, result = null } = inferenceStatus;
  const isStarted = !isNotStarted(analysis);
  return { status, isStarted, result, answer: readVerdict(analysis), projectId, seenBefore };
}
