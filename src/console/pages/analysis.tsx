/** One analysis: the answer, the picture and the next step first; the rest in tabs. */

import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { Analysis } from '../../contract/analysis.ts';
import { getAnalysis } from '../api/analyses.ts';
import { useConsole } from '../context.ts';
import { useAct } from '../parts/form.tsx';
import { boxesOf, locate, type PlacesProps, type Selected } from '../parts/located.ts';
import { firstLook, heatmapUrl } from '../parts/look.ts';
import { type Layer, useUpright, Viewer, ViewerControls } from '../parts/viewer.tsx';
import { growingPause, type Loaded, useLoaded, useTenantData } from '../parts/loading.ts';
import {
  Awaited,
  Button,
  Buttons,
  Choices,
  isAtWork,
  isNotStarted,
  isUpgradable,
  Panel,
  Time,
  useTitle,
} from '../parts/pieces.tsx';
import { ReviewBar, useReview } from '../parts/review.tsx';
import { writeVerdict } from '../parts/verdict.ts';
import { type Acts, Description, useActs } from './analysis-rows.tsx';
import { Answer, Reasons } from './analysis-answer.tsx';
import {
  Certainty,
  Files,
  Findings,
  NotChecked,
  Origin,
  StabilityPanel,
} from './analysis-sections.tsx';
import { Holds } from './holds.tsx';
import { OtherPictures, useSeenBefore } from './other-pictures.tsx';
import type { CustodyStep } from '../../contract/verification.ts';
import { nameIn } from '../../present/text.ts';
import { writeActor } from '../../present/report-item.ts';
import { wordsIn } from '../../present/wording/catalogue.ts';

const tabIds = ['findings', 'origin', 'others', 'report', 'record'] as const;
type TabId = (typeof tabIds)[number];

/** @param tab - from the address; the first tab if it specifies none. */
export function AnalysisPage({ id, tab }: { readonly id: string; readonly tab: string | null }) {
  const { analysis: text, cases, holds, tenantName } = useConsole();
  const loaded = useAnalysis(id);
  const { data, reload } = loaded;
  const acts = useActs(reload, () => {
    location.hash = '#/analyses';
  });
  // The key may be pressed before the page has loaded.
  const { run } = useAct();
  const review = useReview(id, () =>
    run(async () => acts.edit(data ?? (await getAnalysis({ tenantName, id })))),
  );
  useTitle(data?.name.slice(0, 80) ?? holds.object);
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
            <Head analysis={analysis} {...acts} />
            <Description analysis={analysis} />
            <Whole analysis={analysis} tab={tabIds.find((each) => each === tab) ?? 'findings'} />
          </>
        )}
      </Awaited>
      {acts.dialogs}
    </>
  );
}

export function useAnalysis(id: string): Loaded<Analysis> {
  const { tenantName } = useConsole();
  return useLoaded(`${tenantName} ${id}`, {
    load: (signal) => getAnalysis({ tenantName, id }, signal),
    pause: (analysis, unchanged) => (isAtWork(analysis) ? growingPause(unchanged) : null),
  });
}

function Head({ analysis, isBusy, actsOn, upgrade }: Acts & { readonly analysis: Analysis }) {
  const { analysis: text, list } = useConsole();
  const { name, createdDate } = analysis;
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
          <Buttons kind="little" acts={actsOn(analysis)} />
        </span>
      </header>
      {isUpgradable(analysis) && (
        <section class="notice row apart">
          <div>
            <strong>{text.flaggedOnly}</strong>
            <p class="small">{text.flaggedHint}</p>
          </div>
          <Button kind="main" disabled={isBusy} onClick={() => upgrade([analysis])}>
            {list.upgrade}
          </Button>
        </section>
      )}
    </>
  );
}

function Whole({ analysis, tab }: { readonly analysis: Analysis; readonly tab: TabId }) {
  const { analysis: text, language, isManager } = useConsole();
  const [selected, setSelected] = useState<Selected | null>(null);
  const seen = useSeenBefore(analysis);
  const verdict = writeVerdict(analysis, language);
  const evidence = analysis.inferenceStatus.result?.evidence ?? null;
  const located = evidence === null ? [] : locate(evidence, verdict?.changed != null);
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
        {isManager && <Holds id={analysis.id} />}
      </div>
    ),
  };
  const titles = { ...text.tabs, others: text.tabs.others(seen.length) };
  const shown = tabIds.filter((id) => content[id] !== false);
  const open = shown.includes(tab) ? tab : shown[0];
  return (
    <>
      <div class="first">
        <Answer analysis={analysis} verdict={verdict} />
        {!isNotStarted(analysis) && <PicturePanel analysis={analysis} {...places} />}
        {verdict !== null && <Reasons {...{ analysis, verdict, seen }} {...places} />}
      </div>
      <Choices
        kind="quiet little"
        label={text.more}
        ids={shown}
        texts={titles}
        chosen={open}
        // Adds no entry to the browser history.
        onChoose={(id) => location.replace(`#/analysis/${analysis.id}?tab=${id}`)}
      />
      {/* In print, all of them are shown. */}
      {shown.map((id) => (
        <div key={id} class="tab stack" hidden={id !== open}>
          {content[id]}
        </div>
      ))}
    </>
  );
}

function PicturePanel({ analysis, ...places }: PlacesProps & { readonly analysis: Analysis }) {
  const { evidence, located, selected, setSelected } = places;
  const { analysis: text, language } = useConsole();
  const { inferenceStatus, name } = analysis;
  const [look, setLook] = useState(firstLook);
  const { url, size, isPreview } = useUpright(analysis);
  const heatmaps = inferenceStatus.result?.heatmaps ?? null;
  const report = inferenceStatus.result?.report?.[language] ?? null;
  const { opacity, map } = look;
  const layers: readonly Layer[] = [
    { url },
    ...(map === null || heatmaps === null ? [] : [{ url: heatmapUrl(heatmaps, map), opacity }]),
  ];
  const marks = located.map((one) => ({
    number: one.number,
    boxes: evidence === null ? one.boxes : boxesOf(one, selected, evidence),
    label: text.place(one.number),
    isSelected: selected?.number === one.number,
    onSelect: () =>
      setSelected(selected?.number === one.number ? null : { number: one.number, method: null }),
  }));
  const texts = report && { ...report.heatmap, compression: report.heatmap.compressed };
  return (
    <section class="panel picture" aria-label={text.pictures}>
      <Viewer size={size} layers={layers} marks={marks} look={look} setLook={setLook} name={name} />
      <ViewerControls look={look} setLook={setLook} hasMaps={heatmaps !== null} />
      {isPreview && <p class="soft small">{text.preview}</p>}
      {texts !== null && map !== null && <p class="soft small">{texts[map]}</p>}
    </section>
  );
}

function Custody({ id }: { readonly id: string }) {
  const { analysis: text, language } = useConsole();
  const loaded = useTenantData<readonly CustodyStep[]>('/v1/analysis/custody', { id });
  const { document, labels } = wordsIn(language);
  const { custody } = document;
  return (
    <Panel title={labels.sections.custody}>
      <Awaited loaded={loaded}>
        {(steps) => (
          <>
            {steps.length === 0 && <p class="soft">{text.noCustody}</p>}
            {steps.map(({ at, event, actor, actorName, hashes }, index) => (
              <div key={index} class="finding">
                <strong>{nameIn(custody.events, event, event)}</strong>
                <p class="soft small">
                  <Time at={at} /> · {/* `user 6f1c...` becomes `user Anna Examiner`. */}
                  <bdi title={actor}>
                    {writeActor(
                      actor.replace(/\S+$/, (last) => actorName ?? last),
                      custody.actors,
                    )}
                  </bdi>
                </p>
                {hashes.length > 0 && (
                  <details class="small soft">
                    <summary>{text.hashes}</summary>
                    {hashes.map(({ name, sha256 }) => (
                      <p key={name} class="mono">
                        {name} {sha256}
                      </p>
                    ))}
                  </details>
                )}
              </div>
            ))}
          </>
        )}
      </Awaited>
    </Panel>
  );
}
