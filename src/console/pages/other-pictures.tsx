/** Pictures related to this one: those that show the same thing, and those in the same case. */

import { useRef } from 'preact/hooks';
import type { Analysis } from '../../contract/analysis.ts';
import type { SeenBefore } from '../../contract/seen-before.ts';
import { capitalised } from '../../present/text.ts';
import { writeFacts, writeLink } from '../../present/findings.ts';
import { wordsIn } from '../../present/wording/catalogue.ts';
import { getAnalysis, type NamedAnalysis } from '../api/analyses.ts';
import { ApiError, ask } from '../api/client.ts';
import { useConsole } from '../context.ts';
import { growingPause, useLoaded, useTenantData } from '../parts/loading.ts';
import { AnalysisLink, isAtWork, isCompleted, Panel, ResultBadge } from '../parts/pieces.tsx';
import { pageSize, Thumbnail, useThumbnails } from '../parts/table.tsx';
import { toLocalTime } from '../parts/verdict.ts';

function listSeenBefore(query: NamedAnalysis, signal: AbortSignal) {
  return ask<readonly SeenBefore[]>('/v1/analysis/seen-before', { query, signal });
}

/** Empty until the analysis is completed. */
export function useSeenBefore(analysis: Analysis): readonly SeenBefore[] {
  const { tenantName } = useConsole();
  const { id } = analysis;
  const isDone = isCompleted(analysis);
  const { data } = useLoaded(`seen before ${tenantName} ${id} ${isDone}`, {
    load: async (signal) => (isDone ? listSeenBefore({ tenantName, id }, signal) : []),
  });
  return data ?? [];
}

interface Examination {
  /** Null if it was deleted. */
  readonly analysis: Analysis | null;
  readonly seen: readonly SeenBefore[];
}

/** How many pictures a server examines at once: after this many unfinished ones, a round of requests ends. */
const examinedAtOnce = 4;
/** After this many pictures, the page shows what has been found so far. */
const requestedAtOnce = 50;

/** Those of the analyses that have ended, with their evidence and pictures seen before; requested one at a time. */
export function useExaminations(ids: readonly string[]): ReadonlyMap<string, Examination> {
  const { tenantName } = useConsole();
  const known = useRef(new Map<string, Examination>());
  const open = () => ids.filter((id) => !known.current.has(id));
  useLoaded(`examined ${tenantName} ${ids.join(' ')}`, {
    load: async (signal) => {
      let atWork = 0;
      for (const id of open().slice(0, requestedAtOnce)) {
        const named = { tenantName, id };
        const analysis = await getAnalysis(named, signal).catch((error: unknown) => {
          if (error instanceof ApiError && error.status === 404) return null;
          throw error;
        });
        if (analysis !== null && isAtWork(analysis)) {
          if (++atWork === examinedAtOnce) break;
          continue;
        }
        const isDone = analysis !== null && isCompleted(analysis);
        const seen = isDone ? await listSeenBefore(named, signal) : [];
        known.current.set(id, { analysis, seen });
      }
      return { examined: known.current.size, atWork };
    },
    pause: ({ atWork }, unchanged) => {
      if (open().length === 0) return null;
      return atWork === 0 ? 0 : growingPause(unchanged);
    },
  });
  return new Map([...known.current].filter(([id]) => ids.includes(id)));
}

interface SeenProps {
  readonly analysis: Analysis;
  readonly seen: readonly SeenBefore[];
}

export function OtherPictures({ analysis, seen, isOpen }: SeenProps & { isOpen: boolean }) {
  const { analysis: text } = useConsole();
  return (
    <>
      <Panel title={text.seenBefore.title}>
        <p class="soft">{text.seenBefore.intro(seen.length)}</p>
        <ul class="plain stack">
          {seen.map((other) => (
            <li key={other.id}>
              <SeenLine other={other} analysis={analysis} />
            </li>
          ))}
        </ul>
      </Panel>
      {isOpen && analysis.projectId !== null && (
        <SameCase id={analysis.id} projectId={analysis.projectId} />
      )}
    </>
  );
}

function SeenLine({ other, analysis }: { other: SeenBefore; analysis: Analysis }) {
  const { analysis: labels, comparison, language } = useConsole();
  const text = labels.seenBefore;
  return (
    <span>
      {capitalised(writeLink(other, language)) ||
        (other.createdDate < analysis.createdDate ? text.before : text.after)}{' '}
      <AnalysisLink id={other.id} name={other.name} />,{' '}
      {writeFacts({ ...other, createdDate: toLocalTime(other.createdDate) }, language)}.{' '}
      <a href={comparisonOf(analysis.id, other.id)}>{comparison.compare}</a>
    </span>
  );
}

const seenShown = 2;

/** The first two, and how many more there are. */
export function SeenLines({ seen, analysis }: SeenProps) {
  const { more } = wordsIn(useConsole().language).terminal.seen;
  return (
    <>
      {seen.slice(0, seenShown).map((other) => (
        <p key={other.id}>
          <SeenLine other={other} analysis={analysis} />
        </p>
      ))}
      {seen.length > seenShown && (
        <a href={`#/analysis/${analysis.id}?tab=others`}>{more(seen.length - seenShown)}</a>
      )}
    </>
  );
}

function comparisonOf(id: string, other: string): string {
  return `#/analysis/${id}?with=${other}`;
}

/** The first hundred other pictures in the same case. */
function SameCase({ id, projectId }: { readonly id: string; readonly projectId: string }) {
  const { cases, comparison } = useConsole();
  const query = { projectId, start: 0, limit: pageSize };
  const { data } = useTenantData<readonly Analysis[]>('/v1/analysis', query);
  const others = (data ?? []).filter((each) => each.id !== id);
  const thumbnails = useThumbnails(others);
  if (others.length === 0) return null;
  return (
    <Panel title={cases.title(projectId)}>
      <ul class="plain columns">
        {others.map((other) => (
          <li key={other.id} class="row small">
            <Thumbnail url={thumbnails.get(other.id)} />
            <div>
              <AnalysisLink id={other.id} name={other.name} />
              <p>
                <ResultBadge analysis={other} />{' '}
                <a href={comparisonOf(id, other.id)}>
                  {comparison.compare}
                  <span class="hidden"> {other.name}</span>
                </a>
              </p>
            </div>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
