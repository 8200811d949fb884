/** One analysis, or two side by side. */

import { useEffect, useState } from 'preact/hooks';
import type { Analysis } from '../../contract/analysis.ts';
import { getAnalysis, listAnalyses } from '../api/analyses.ts';
import { useConsole } from '../context.ts';
import { SelectField } from '../parts/form.tsx';
import { growingPause, type Loaded, useLoaded } from '../parts/loading.ts';
import {
  Awaited,
  Button,
  Facts,
  isAtWork,
  isNotStarted,
  Panel,
  ResultBadge,
  Time,
} from '../parts/pieces.tsx';
import { writeVerdict } from '../parts/verdict.ts';
import { firstLook, type Look, Viewer, ViewerControls } from '../parts/viewer.tsx';
import { isCancellable, isUpgradable, useActs } from './analyses.tsx';
import {
  Files,
  Findings,
  NotChecked,
  Origin,
  StabilityPanel,
  Texts,
  Values,
} from './analysis-sections.tsx';
import { Custody } from './custody.tsx';
import { Description } from './description.tsx';
import { AnalysisHold } from './holds.tsx';
import { SeenBeforePanel } from './seen-before.tsx';

export function AnalysisPage({
  id,
  other,
}: {
  readonly id: string;
  readonly other: string | null;
}) {
  const { words } = useConsole();
  const [look, setLook] = useState<Look>(firstLook);
  const first = useAnalysis(id);
  const second = useAnalysis(other ?? id);
  useEffect(() => {
    const name = first.data?.name.slice(0, 80) ?? '';
    document.title = `${name} · forensics`;
  }, [first.data?.name]);
  return (
    <>
      <p class="row apart">
        <a href="#/analyses">‹ {words.analysis.back}</a>
        {other !== null && <a href={`#/analysis/${id}`}>{words.analysis.endCompare}</a>}
      </p>
      {other === null ? (
        <Whole loaded={first} look={look} setLook={setLook} />
      ) : (
        <>
          <h1>{words.analysis.comparing}</h1>
          <ViewerControls
            look={look}
            setLook={setLook}
            hasMaps={hasMaps(first.data, second.data)}
          />
          <div class="columns">
            {[first, second].map((loaded, at) => (
              <div key={at} class="stack">
                <Half loaded={loaded} look={look} setLook={setLook} />
              </div>
            ))}
          </div>
        </>
      )}
    </>
  );
}

function hasMaps(...analyses: readonly (Analysis | null)[]): boolean {
  return analyses.some((each) => (each?.inferenceStatus.result?.heatmaps ?? null) !== null);
}

function useAnalysis(id: string): Loaded<Analysis> {
  const { tenantName } = useConsole();
  return useLoaded(`${tenantName} ${id}`, {
    load: (signal) => getAnalysis(tenantName, id, signal),
    pause: (analysis, unchanged) => (isAtWork(analysis) ? growingPause(unchanged) : null),
  });
}

interface PartProps {
  readonly loaded: Loaded<Analysis>;
  readonly look: Look;
  readonly setLook: (look: Look) => void;
}

function Whole({ loaded, look, setLook }: PartProps) {
  const { reload } = loaded;
  return (
    <Awaited loaded={loaded}>
      {(analysis) => {
        const evidence = analysis.inferenceStatus.result?.evidence ?? null;
        return (
          <>
            <Head analysis={analysis} reload={reload} />
            <Verdict analysis={analysis} />
            <Upgrade analysis={analysis} reload={reload} />
            <PicturePanel analysis={analysis} look={look} setLook={setLook} hasControls />
            <SeenBeforePanel analysis={analysis} />
            {evidence !== null && (
              <>
                <Findings evidence={evidence} />
                <div class="columns">
                  <Origin evidence={evidence} />
                  <StabilityPanel evidence={evidence} />
                </div>
                <NotChecked evidence={evidence} />
              </>
            )}
            <Texts analysis={analysis} />
            <div class="columns">
              <Values analysis={analysis} />
              <Files analysis={analysis} />
            </div>
            <Custody id={analysis.id} />
            <AnalysisHold id={analysis.id} />
            <CompareWith id={analysis.id} />
          </>
        );
      }}
    </Awaited>
  );
}

function Half({ loaded, look, setLook }: PartProps) {
  return (
    <Awaited loaded={loaded}>
      {(analysis) => {
        const evidence = analysis.inferenceStatus.result?.evidence ?? null;
        return (
          <>
            <h2 class="clip">
              <a href={`#/analysis/${analysis.id}`} title={analysis.name}>
                <bdi>{analysis.name}</bdi>
              </a>
            </h2>
            <PicturePanel analysis={analysis} look={look} setLook={setLook} hasControls={false} />
            <Verdict analysis={analysis} />
            {evidence !== null && <Findings evidence={evidence} />}
            <Values analysis={analysis} />
          </>
        );
      }}
    </Awaited>
  );
}

function Head({ analysis, reload }: { readonly analysis: Analysis; readonly reload: () => void }) {
  const { list } = useConsole().words;
  const { name, createdDate, inferenceStatus } = analysis;
  const { remove, again } = useActs(reload);
  return (
    <header class="stack">
      <div class="row apart">
        <h1 class="name">
          <bdi>{name}</bdi>
        </h1>
        <div class="row">
          {inferenceStatus.status === 'failed' && (
            <Button onClick={() => again([analysis])}>{list.retry}</Button>
          )}
          <Button
            onClick={() => {
              remove([analysis]);
              location.hash = '#/analyses';
            }}
          >
            {isCancellable(analysis) ? list.cancelRun : list.remove}
          </Button>
        </div>
      </div>
      <div class="row soft small">
        <ResultBadge analysis={analysis} />
        <Time at={createdDate} />
      </div>
      <Description analysis={analysis} reload={reload} />
    </header>
  );
}

function Verdict({ analysis }: { readonly analysis: Analysis }) {
  const { words, language } = useConsole();
  const { analysis: text } = words;
  const verdict = writeVerdict(analysis, language);
  if (verdict === null) return <NoVerdict analysis={analysis} />;
  const evidence = analysis.inferenceStatus.result?.evidence ?? null;
  const side =
    verdict.outcome === 'changed' || verdict.outcome === 'declared' ? 'fake' : verdict.outcome;
  return (
    <section class={`panel verdict ${side}`}>
      <div class="stack">
        <h2>{verdict.headline}</h2>
        {verdict.because !== '' && <p class="lead">{verdict.because}</p>}
      </div>
      <Facts
        rows={[
          [text.strength, evidence?.statement[language] ?? ''],
          [text.changed, evidence?.manipulation?.statement[language] ?? ''],
          [text.errorRate, verdict.errorRate],
          [text.next, verdict.next],
        ]}
      />
      {evidence !== null && evidence.reasons.length > 0 && (
        <div class="stack">
          <h3>{text.reasons}</h3>
          <ul class="dots">
            {evidence.reasons.map(({ code, statement, help }) => (
              <li key={code}>
                {statement[language]}{' '}
                <span class="soft">
                  {text.helps}: {help[language]}
                </span>
              </li>
            ))}
          </ul>
        </div>
      )}
    </section>
  );
}

/** It failed, or has not come to its end. */
function NoVerdict({ analysis }: { readonly analysis: Analysis }) {
  const { analysis: text } = useConsole().words;
  const { status, statusMessage } = analysis.inferenceStatus;
  const waiting = isNotStarted(analysis) ? text.notStarted : text.waiting;
  return (
    <section class="panel verdict" role="status">
      {status === 'failed' ? (
        <>
          <h2>{text.failed}</h2>
          <p>{statusMessage}</p>
        </>
      ) : (
        <p class="lead">{status === 'pending' ? waiting : text.running}</p>
      )}
    </section>
  );
}

function Upgrade({
  analysis,
  reload,
}: {
  readonly analysis: Analysis;
  readonly reload: () => void;
}) {
  const { words } = useConsole();
  const { isBusy, again } = useActs(reload);
  if (!isUpgradable(analysis)) return null;
  return (
    <section class="notice row apart">
      <div>
        <strong>{words.analysis.flaggedOnly}</strong>
        <p class="small">{words.analysis.flaggedHint}</p>
      </div>
      <Button
        kind="main"
        disabled={isBusy}
        onClick={() => again([analysis], { tier: 'forensicReporting' })}
      >
        {words.list.upgrade}
      </Button>
    </section>
  );
}

function PicturePanel({
  analysis,
  look,
  setLook,
  hasControls,
}: {
  readonly analysis: Analysis;
  readonly look: Look;
  readonly setLook: (look: Look) => void;
  readonly hasControls: boolean;
}) {
  const { words, language } = useConsole();
  const { input, inferenceStatus, name } = analysis;
  const heatmaps = inferenceStatus.result?.heatmaps ?? null;
  const report = inferenceStatus.result?.report?.[language] ?? null;
  if (isNotStarted(analysis)) return null;
  const texts =
    report === null ? null : { ...report.heatmap, compression: report.heatmap.compressed };
  return (
    <Panel title={words.analysis.pictures}>
      {hasControls && <ViewerControls look={look} setLook={setLook} hasMaps={heatmaps !== null} />}
      <Viewer
        size={input}
        pictureUrl={input.storageUrls.getUrl}
        heatmaps={heatmaps}
        look={look}
        setLook={setLook}
        name={name}
      />
      {hasControls && texts !== null && look.map !== null && (
        <p class="soft small">{texts[look.map]}</p>
      )}
    </Panel>
  );
}

const offered = 50;

function CompareWith({ id }: { readonly id: string }) {
  const { words, tenantName } = useConsole();
  const { data } = useLoaded(`compare ${tenantName}`, {
    load: (signal) =>
      listAnalyses(tenantName, { status: 'completed' }, { start: 0, limit: offered }, signal),
  });
  const others = (data?.entries ?? []).filter((each) => each.id !== id);
  if (others.length === 0) return null;
  const named = others.map((each) => [each.id, each.name.slice(0, 100)] as const);
  const options: Record<string, string> = { '': words.common.none, ...Object.fromEntries(named) };
  return (
    <Panel>
      <SelectField<string>
        label={words.analysis.compareWith}
        options={options}
        value=""
        onValue={(chosen) => {
          if (chosen !== '') location.hash = `#/analysis/${id}?with=${chosen}`;
        }}
      />
    </Panel>
  );
}
