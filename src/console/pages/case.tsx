/** The pictures of one case: what needs a person first, and all of them in one sentence. */

import type { Analysis } from '../../contract/analysis.ts';
import { listAnalyses } from '../api/analyses.ts';
import { useConsole } from '../context.ts';
import { growingPause, useLoaded } from '../parts/loading.ts';
import { Button, isAtWork, PageTitle, ResultBadge, Time } from '../parts/pieces.tsx';
import { Table } from '../parts/table.tsx';
import { Thumbnail, useThumbnails } from '../parts/thumbnails.tsx';
import { writeVerdict } from '../parts/verdict.ts';
import { saveAnalyses } from './analyses.tsx';
import { DropZone } from './drop.tsx';

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
  const entries = (data?.entries ?? []).toSorted((one, other) => needOf(one) - needOf(other));
  const thumbnails = useThumbnails(entries);
  return (
    <>
      <p>
        <a href="#/analyses">‹ {words.analysis.back}</a>
      </p>
      <PageTitle text={text.title(name)} />
      {entries.length > 0 && <p class="lead">{writeSummary(entries, text)}</p>}
      <DropZone projectId={name} onProgress={reload} />
      <section class="panel flush" aria-label={text.title(name)}>
        <div class="toolbar row apart">
          <span class="soft small">{text.order}</span>
          <Button
            kind="little"
            disabled={entries.length === 0}
            onClick={() => saveAnalyses(entries)}
          >
            {list.csvAll}
          </Button>
        </div>
        <Table
          loaded={{ data: data === null ? null : entries, error, reload }}
          empty={<p>{text.empty}</p>}
          columns={[list.picture, list.name, list.verdict, list.created]}
          row={(analysis) => (
            <Row key={analysis.id} analysis={analysis} thumbnail={thumbnails.get(analysis.id)} />
          )}
        />
      </section>
    </>
  );
}

function Row({
  analysis,
  thumbnail,
}: {
  readonly analysis: Analysis;
  readonly thumbnail: string | undefined;
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
      </td>
      <td class="small soft">
        <Time at={createdDate} />
      </td>
    </tr>
  );
}

type Kind = 'failed' | 'generated' | 'changed' | 'undecided' | 'unjudged' | 'atWork' | 'noSign';

/** From what a person has to look at to what can wait. */
const kinds: readonly Kind[] = [
  'failed',
  'generated',
  'changed',
  'undecided',
  'unjudged',
  'atWork',
  'noSign',
];

function kindOf({ inferenceStatus: { status, result } }: Analysis): Kind {
  if (status === 'failed') return 'failed';
  if (status !== 'completed' || result === undefined) return 'atWork';
  // Subclass 2: changed in a part.
  const fake = result.resultSubClasses.includes(2) ? 'changed' : 'generated';
  return (['noSign', fake, 'unjudged', 'undecided'] as const)[result.resultClass] ?? 'undecided';
}

function needOf(analysis: Analysis): number {
  return kinds.indexOf(kindOf(analysis));
}

function writeSummary(
  entries: readonly Analysis[],
  text: ReturnType<typeof useConsole>['words']['cases'],
): string {
  const parts = kinds.flatMap((kind) => {
    const count = entries.filter((entry) => kindOf(entry) === kind).length;
    return count === 0 ? [] : [`${count} ${text.kinds[kind]}`];
  });
  return `${text.pictures(entries.length)}: ${parts.join(', ')}.`;
}
