/** Pictures related to this one: those that show the same thing, and those in the same case. */

import type { Analysis } from '../../contract/analysis.ts';
import type { SeenBefore } from '../../contract/seen-before.ts';
import { capitalised } from '../../present/printable.ts';
import { writeFacts, writeLink } from '../../present/seen-before.ts';
import { wordsIn } from '../../present/wording/catalogue.ts';
import { listAnalyses } from '../api/analyses.ts';
import { ask } from '../api/client.ts';
import { useConsole } from '../context.ts';
import { useLoaded } from '../parts/loading.ts';
import { Panel, ResultBadge } from '../parts/pieces.tsx';
import { pageSize, Thumbnail, useThumbnails } from '../parts/table.tsx';
import { toLocalTime } from '../parts/verdict.ts';

export function listSeenBefore(
  tenantName: string,
  id: string,
  signal: AbortSignal,
): Promise<readonly SeenBefore[]> {
  return ask('/v1/analysis/seen-before', { query: { tenantName, id }, signal });
}

/** Empty until the analysis is completed. */
export function useSeenBefore({ id, inferenceStatus }: Analysis): readonly SeenBefore[] {
  const { tenantName } = useConsole();
  const isDone = inferenceStatus.status === 'completed';
  const { data } = useLoaded(`seen before ${tenantName} ${id} ${isDone}`, {
    load: async (signal) => (isDone ? listSeenBefore(tenantName, id, signal) : []),
  });
  return data ?? [];
}

interface OtherPicturesProps {
  readonly analysis: Analysis;
  readonly seen: readonly SeenBefore[];
  readonly isOpen: boolean;
}

export function OtherPictures({ analysis, seen, isOpen }: OtherPicturesProps) {
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

export function SeenLine({
  other,
  analysis,
}: {
  readonly other: SeenBefore;
  readonly analysis: Pick<Analysis, 'id' | 'createdDate'>;
}) {
  const { analysis: labels, comparison, language } = useConsole();
  const text = labels.seenBefore;
  return (
    <span>
      {capitalised(writeLink(other, language)) ||
        (other.createdDate < analysis.createdDate ? text.before : text.after)}{' '}
      <a href={`#/analysis/${other.id}`}>
        <bdi>{other.name}</bdi>
      </a>
      , {writeFacts({ ...other, createdDate: toLocalTime(other.createdDate) }, language)}.{' '}
      <a href={comparisonOf(analysis.id, other.id)}>{comparison.compare}</a>
    </span>
  );
}

const seenShown = 2;

/** The first two, and how many more there are. */
export function SeenLines({
  seen,
  analysis,
}: {
  readonly seen: readonly SeenBefore[];
  readonly analysis: Pick<Analysis, 'id' | 'createdDate'>;
}) {
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
  const { cases, comparison, tenantName } = useConsole();
  const { data } = useLoaded(`case of ${tenantName} ${projectId}`, {
    load: async (signal) =>
      listAnalyses(tenantName, { projectId }, { start: 0, limit: pageSize }, signal),
  });
  const others = (data?.entries ?? []).filter((each) => each.id !== id);
  const thumbnails = useThumbnails(others);
  if (others.length === 0) return null;
  return (
    <Panel title={cases.title(projectId)}>
      <ul class="plain columns">
        {others.map((other) => (
          <li key={other.id} class="row small">
            <Thumbnail url={thumbnails.get(other.id)} />
            <div>
              <a href={`#/analysis/${other.id}`} title={other.name}>
                <bdi>{other.name}</bdi>
              </a>
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
