/** One analysis: the answer, the picture and the next step first; the rest in tabs. */

import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Analysis } from '../../contract/analysis.ts';
import { getAnalysis } from '../api/analyses.ts';
import { useConsole } from '../context.ts';
import { locate, type Selected } from '../parts/located.ts';
import { growingPause, type Loaded, useLoaded, useTenantList } from '../parts/loading.ts';
import {
  Awaited,
  Button,
  Failure,
  isAtWork,
  isCancellable,
  isNotStarted,
  Panel,
  Time,
} from '../parts/pieces.tsx';
import { ReviewBar, useReview } from '../parts/review.tsx';
import { writeVerdict } from '../parts/verdict.ts';
import { isFailed, isUpgradable, useActs } from './analyses.tsx';
import { Answer, Reasons } from './analysis-answer.tsx';
import { PicturePanel } from './analysis-picture.tsx';
import {
  Certainty,
  Files,
  Findings,
  NotChecked,
  Origin,
  StabilityPanel,
} from './analysis-sections.tsx';
import { Description, useEditing } from './description.tsx';
import { AnalysisHold } from './holds.tsx';
import { OtherPictures, useSeenBefore } from './other-pictures.tsx';
import type { CustodyStep } from '../../contract/verification.ts';
import { writeActor } from '../../present/report-item.ts';
import { wordsIn } from '../../present/wording/catalogue.ts';

const tabIds = ['findings', 'origin', 'others', 'report', 'record'] as const;
type TabId = (typeof tabIds)[number];

/** @param tab - from the address; the first tab if it specifies none. */
export function AnalysisPage({ id, tab }: { readonly id: string; readonly tab: string | null }) {
  const { analysis: text, cases } = useConsole();
  const loaded = useAnalysis(id);
  const { data, reload } = loaded;
  const { edit, dialog } = useEditing(reload);
  const review = useReview(id, () => data !== null && edit(data));
  useEffect(() => {
    document.title = `${data?.name.slice(0, 80) ?? ''} · forensics`;
  }, [data?.name]);
  return (
    <>
      <div class="row apart">
        <span class="row">
          <a href="#/analyses">‹ {text.back}</a>
          {data !== null && data.projectId !== null && (
            <a href={`#/case/${encodeURIComponent(data.projectId)}`}>
              ‹ {cases.title(data.projectId)}
            </a>
          )}
        </span>
        <ReviewBar {...review} />
      </div>
      <Awaited loaded={loaded}>
        {(analysis) => (
          <>
            <Head analysis={analysis} reload={reload} edit={() => edit(analysis)} />
            <Description analysis={analysis} />
            <Whole analysis={analysis} tab={tabIds.find((each) => each === tab) ?? 'findings'} />
          </>
        )}
      </Awaited>
      {dialog}
    </>
  );
}

export function useAnalysis(id: string): Loaded<Analysis> {
  const { tenantName } = useConsole();
  return useLoaded(`${tenantName} ${id}`, {
    load: (signal) => getAnalysis(tenantName, id, signal),
    pause: (analysis, unchanged) => (isAtWork(analysis) ? growingPause(unchanged) : null),
  });
}

interface HeadProps {
  readonly analysis: Analysis;
  readonly reload: () => void;
  readonly edit: () => void;
}

function Head({ analysis, reload, edit }: HeadProps) {
  const { analysis: text, list, cases } = useConsole();
  const { name, createdDate } = analysis;
  const { isBusy, dialog, remove, again } = useActs(reload, () => {
    location.hash = '#/analyses';
  });
  return (
    <>
      <header class="row apart">
        <h1 title={name}>
          <bdi>{name}</bdi>
        </h1>
        <span class="row">
          <span class="soft small">
            <Time at={createdDate} />
          </span>
          {isFailed(analysis) && (
            <Button kind="little" onClick={() => again([analysis])}>
              {list.retry}
            </Button>
          )}
          <Button kind="little" onClick={edit}>
            {cases.edit}
          </Button>
          <Button kind="little" onClick={() => remove([analysis])}>
            {isCancellable(analysis) ? list.cancelRun : list.remove}
          </Button>
        </span>
      </header>
      {isUpgradable(analysis) && (
        <section class="notice row apart">
          <div>
            <strong>{text.flaggedOnly}</strong>
            <p class="small">{text.flaggedHint}</p>
          </div>
          <Button
            kind="main"
            disabled={isBusy}
            onClick={() => again([analysis], { tier: 'forensicReporting' })}
          >
            {list.upgrade}
          </Button>
        </section>
      )}
      {dialog}
    </>
  );
}

function Whole({ analysis, tab }: { readonly analysis: Analysis; readonly tab: TabId }) {
  const { analysis: text, language } = useConsole();
  const [selected, setSelected] = useState<Selected | null>(null);
  const seen = useSeenBefore(analysis);
  const verdict = writeVerdict(analysis, language);
  const evidence = analysis.inferenceStatus.result?.evidence ?? null;
  const located = evidence === null ? [] : locate(evidence, verdict?.changed != null);
  // Adds no entry to the browser history.
  const open = (id: TabId) => location.replace(`#/analysis/${analysis.id}?tab=${id}`);
  const places = { evidence, located, selected, setSelected };
  const content: Readonly<Record<TabId, ComponentChildren>> = {
    findings: evidence !== null && (
      <>
        <Findings {...places} evidence={evidence} />
        <Certainty evidence={evidence} verdict={verdict} />
        <div class="columns">
          <StabilityPanel evidence={evidence} />
          <NotChecked evidence={evidence} />
        </div>
      </>
    ),
    origin: evidence !== null && <Origin evidence={evidence} />,
    others: <OtherPictures analysis={analysis} seen={seen} isOpen={tab === 'others'} />,
    report: <Files analysis={analysis} />,
    record: (
      <div class="columns">
        <Custody id={analysis.id} />
        <AnalysisHold id={analysis.id} />
      </div>
    ),
  };
  const titles = { ...text.tabs, others: text.tabs.others(seen.length) };
  const shown = tabIds.filter((id) => content[id] !== false);
  return (
    <>
      <div class="first">
        <Answer analysis={analysis} verdict={verdict} />
        {!isNotStarted(analysis) && <PicturePanel analysis={analysis} {...places} />}
        {verdict !== null && <Reasons {...{ analysis, verdict, seen }} {...places} />}
      </div>
      <Tabs
        label={text.more}
        tabs={shown.map((id) => ({ id, title: titles[id], content: content[id] }))}
        open={shown.includes(tab) ? tab : shown[0]!}
        onOpen={open}
      />
    </>
  );
}

/** What happened to the picture, when, and who did it. */
function Custody({ id }: { readonly id: string }) {
  const { analysis: text, language } = useConsole();
  const { data, error, reload } = useTenantList<CustodyStep>('/v1/analysis/custody', { id });
  const { custody } = wordsIn(language).document;
  const events: Readonly<Record<string, string>> = custody.events;
  // `user 6f1c...` becomes `user Anna Examiner`.
  const write = ({ actor, actorName: name }: CustodyStep) =>
    writeActor(name === null ? actor : actor.replace(/\S+$/, () => name), custody.actors);
  return (
    <Panel title={text.custody}>
      <Failure error={error} retry={reload} />
      {data?.length === 0 && <p class="soft">{text.noCustody}</p>}
      <ol class="plain">
        {data?.map((step, index) => (
          <li key={index} class="finding">
            <div class="row apart">
              <strong>{events[step.event] ?? step.event}</strong>
              <span class="soft small">
                <Time at={step.at} /> · <bdi title={step.actor}>{write(step)}</bdi>
              </span>
            </div>
            {step.hashes.length > 0 && (
              <details class="small soft">
                <summary>{text.hashes}</summary>
                {step.hashes.map(({ name, sha256 }) => (
                  <p key={name} class="mono">
                    {name} {sha256}
                  </p>
                ))}
              </details>
            )}
          </li>
        ))}
      </ol>
    </Panel>
  );
}

const moves: Readonly<Record<string, (at: number, count: number) => number>> = {
  ArrowLeft: (at, count) => (at + count - 1) % count,
  ArrowRight: (at, count) => (at + 1) % count,
  Home: () => 0,
  End: (_at, count) => count - 1,
};

interface TabsProps {
  readonly label: string;
  readonly tabs: readonly {
    readonly id: TabId;
    readonly title: string;
    readonly content: ComponentChildren;
  }[];
  readonly open: TabId;
  readonly onOpen: (id: TabId) => void;
}

/**
 * The address says which tab is open; in print, all tabs are shown.
 *
 * @see WAI-ARIA Authoring Practices, "Tabs": a single tab stop, with arrow keys to move between tabs.
 */
function Tabs({ label, tabs, open, onOpen }: TabsProps) {
  const move = (event: KeyboardEvent) => {
    const at = tabs.findIndex(({ id }) => id === open);
    const next = moves[event.key]?.(at, tabs.length);
    if (next === undefined) return;
    event.preventDefault();
    onOpen(tabs[next]!.id);
    document.getElementById(`tab-${tabs[next]!.id}`)?.focus();
  };
  return (
    <div class="stack">
      <div class="row" role="tablist" aria-label={label} onKeyDown={move}>
        {tabs.map(({ id, title }) => (
          <button
            key={id}
            type="button"
            class="button quiet"
            role="tab"
            id={`tab-${id}`}
            aria-selected={id === open}
            aria-controls={`panel-${id}`}
            tabIndex={id === open ? 0 : -1}
            onClick={() => onOpen(id)}
          >
            {title}
          </button>
        ))}
      </div>
      {tabs.map(({ id, content }) => (
        <div
          key={id}
          role="tabpanel"
          id={`panel-${id}`}
          aria-labelledby={`tab-${id}`}
          class="stack"
          hidden={id !== open}
        >
          {content}
        </div>
      ))}
    </div>
  );
}
