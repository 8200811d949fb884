/** The pictures of one case: what needs a person first, and all of them in one sentence. */

import { useEffect, useRef } from 'preact/hooks';
import type { Analysis } from '../../contract/analysis.ts';
import type { SeenBefore } from '../../contract/seen-before.ts';
import { listAnalyses } from '../api/analyses.ts';
import { useConsole } from '../context.ts';
import { growingPause, useLoaded } from '../parts/loading.ts';
import { Button, isAtWork, PageTitle, ResultBadge, Time } from '../parts/pieces.tsx';
import { rememberSequence } from '../parts/review.tsx';
import { Table } from '../parts/table.tsx';
import { Thumbnail, useThumbnails } from '../parts/thumbnails.tsx';
import { writeVerdict } from '../parts/verdict.ts';
import { saveAnalyses, useCommenting } from './analyses.tsx';
import { DropZone } from './drop.tsx';
import { listSeenBefore, SeenLine } from './other-pictures.tsx';

const most = 1000;

export function CasePage({ name }: { readonly name: string }) {
  const { words, tenantName } = useConsole();
  const { cases: text, list } = words;
  const loaded = useLoaded(`case ${tenantName} ${name}`, {
    load: (signal) =>
      listAnalyses(tenantName, { projectId: name }, { start: 0, limit: most }, signal),
    pause: (page, unchanged) => (page.entries.some(isAtWork) ? growingPause(unchanged) : null),
  });
  const { data, error, reload } = loaded;
  const seen = useSeenBefore(data?.entries ?? []);
  const rankOf = (analysis: Analysis) => kinds.indexOf(kindOf(analysis, seen, name));
  const entries = (data?.entries ?? []).toSorted((one, other) => rankOf(one) - rankOf(other));
  const thumbnails = useThumbnails(entries);
  const { hint, dialog } = useCommenting(entries, reload);
  useEffect(() => {
    const ids = entries.map(({ id }) => id);
    rememberSequence({ ids, start: 0, total: ids.length, load: async () => [] });
  });
  return (
    <>
      <p>
        <a href="#/analyses">‹ {words.analysis.back}</a>
      </p>
      <PageTitle text={text.title(name)} />
      {entries.length > 0 && <p class="lead">{writeSummary(entries, seen, name, text)}</p>}
      <DropZone projectId={name} onProgress={reload} />
      <section class="panel flush" aria-label={text.title(name)}>
        <div class="toolbar row apart">
          <span class="soft small">{text.order}</span>
          <div class="row">
            {hint}
            <Button
              kind="little"
              disabled={entries.length === 0}
              onClick={() => saveAnalyses(entries)}
            >
              {list.csvAll}
            </Button>
          </div>
        </div>
        <Table
          loaded={{ data: data === null ? null : entries, error, reload }}
          empty={<p>{text.empty}</p>}
          columns={[list.picture, list.name, list.verdict, list.created]}
          row={(analysis) => (
            <Row
              key={analysis.id}
              analysis={analysis}
              thumbnail={thumbnails.get(analysis.id)}
              seen={seen.get(analysis.id) ?? []}
            />
          )}
        />
      </section>
      {dialog}
    </>
  );
}

type Seen = ReadonlyMap<string, readonly SeenBefore[]>;

/** Other pictures that show the same as these, by their ids; each is asked for once, one after the other. */
function useSeenBefore(analyses: readonly Analysis[]): Seen {
  const { tenantName } = useConsole();
  const ids = analyses
    .filter(({ inferenceStatus }) => inferenceStatus.status === 'completed')
    .map(({ id }) => id);
  const known = useRef(new Map<string, readonly SeenBefore[]>());
  useLoaded(`seen before ${tenantName} ${ids.join(' ')}`, {
    load: async (signal) => {
      for (const id of ids) {
        if (!known.current.has(id)) {
          known.current.set(id, await listSeenBefore(tenantName, id, signal));
        }
      }
      return ids.length;
    },
  });
  return known.current;
}

function Row({
  analysis,
  thumbnail,
  seen,
}: {
  readonly analysis: Analysis;
  readonly thumbnail: string | undefined;
  readonly seen: readonly SeenBefore[];
}) {
  const { language } = useConsole();
  const { id, name, comment, createdDate, inferenceStatus } = analysis;
  const failure = inferenceStatus.status === 'failed' ? inferenceStatus.statusMessage : '';
  const because = writeVerdict(analysis, language)?.because ?? failure;
  return (
    <tr>
      <td>
        <Thumbnail url={thumbnail} />
      </td>
      <td class="name">
        <a href={`#/analysis/${id}`}>
          <bdi>{name}</bdi>
        </a>
        {comment !== '' && <p class="soft small">{comment}</p>}
      </td>
      <td>
        <ResultBadge analysis={analysis} />
        {because !== '' && <p class="soft small">{because}</p>}
        {seen.map((other) => (
          <p key={other.id} class="small">
            <SeenLine other={other} analysis={analysis} />
          </p>
        ))}
      </td>
      <td class="small soft">
        <Time at={createdDate} />
      </td>
    </tr>
  );
}

type Kind =
  | 'failed'
  | 'generated'
  | 'changed'
  | 'seen'
  | 'undecided'
  | 'unjudged'
  | 'atWork'
  | 'noSign';

/** From what a person has to look at to what can wait. */
const kinds: readonly Kind[] = [
  'failed',
  'generated',
  'changed',
  'seen',
  'undecided',
  'unjudged',
  'atWork',
  'noSign',
];

function kindOf(
  { id, inferenceStatus: { status, result } }: Analysis,
  seen: Seen,
  name: string,
): Kind {
  if (status === 'failed') return 'failed';
  if (status !== 'completed' || result === undefined) return 'atWork';
  // Subclass 2: changed in a part.
  const fake = result.resultSubClasses.includes(2) ? 'changed' : 'generated';
  const kind = (['noSign', fake, 'unjudged', 'undecided'] as const)[result.resultClass];
  if (kind === undefined) throw new RangeError('The server answered an unknown class.');
  return kind !== fake && isSeenElsewhere(seen.get(id), name) ? 'seen' : kind;
}

function isSeenElsewhere(seen: readonly SeenBefore[] = [], name: string): boolean {
  return seen.some(({ projectId }) => projectId !== name);
}

function writeSummary(
  entries: readonly Analysis[],
  seen: Seen,
  name: string,
  text: ReturnType<typeof useConsole>['words']['cases'],
): string {
  const none: Seen = new Map();
  const parts = kinds.flatMap((kind) => {
    const count = entries.filter((entry) => kindOf(entry, none, name) === kind).length;
    return count === 0 ? [] : [`${count} ${text.kinds[kind]}`];
  });
  const elsewhere = entries.filter(({ id }) => isSeenElsewhere(seen.get(id), name)).length;
  const sentence = `${text.pictures(entries.length)}: ${parts.join(', ')}`;
  return elsewhere === 0 ? `${sentence}.` : `${sentence}; ${elsewhere} ${text.kinds.seen}.`;
}
