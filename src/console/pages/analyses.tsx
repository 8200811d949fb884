/** The analyses of the tenant, with the drop zone for new ones. */

import type { ComponentChildren } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { Analysis } from '../../contract/analysis.ts';
import { resultClasses } from '../../contract/vocabulary.ts';
import type { CsvValue } from '../../present/csv.ts';
import { wordsIn } from '../../present/wording/catalogue.ts';
import {
  type Filters,
  listAllAnalyses,
  listAnalyses,
  removeAnalysis,
  retryAnalysis,
} from '../api/analyses.ts';
import { useConsole } from '../context.ts';
import { saveCsv } from '../parts/files.tsx';
import { useAct, useQuestion } from '../parts/form.tsx';
import { growingPause, type Loaded, useLoaded } from '../parts/loading.ts';
import { Button, isAtWork, isCancellable, PageTitle, ResultBadge } from '../parts/pieces.tsx';
import {
  type Column,
  pageSize,
  RangePager,
  RowButton,
  Table,
  timeColumn,
} from '../parts/table.tsx';
import { rememberSequence, useRowKeys } from '../parts/review.tsx';
import { Thumbnail, useThumbnails } from '../parts/thumbnails.tsx';
import { writeReason } from '../parts/verdict.ts';
import { FilterBar } from './analysis-filters.tsx';
import { useEditing } from './description.tsx';
import { DropZone } from './drop.tsx';

// Kept so that the list is unchanged when the user returns from an analysis.
let rememberedFilters: Filters = {};
let rememberedStart = 0;

export function AnalysesPage() {
  const { nav, list } = useConsole();
  const { filters, start, setStart, change, found, entries, selected, setSelected } = useAnalyses();
  const { data, error, reload } = found;
  const acts = useActs(reload, () => {
    setSelected(new Set());
    reload();
  });
  const { hint, dialog, edit } = useCommenting(entries, reload);
  const chosen = entries.filter(({ id }) => selected.has(id));
  const isFiltered = Object.values(filters).some((value) => value !== undefined && value !== '');
  return (
    <>
      <PageTitle text={nav.analyses} />
      <DropZone onProgress={reload} />
      <section class="panel flush" aria-label={nav.analyses}>
        <FilterBar filters={filters} change={change} isFiltered={isFiltered} />
        <div class="toolbar row apart">
          {chosen.length > 0 ? (
            <ChosenActs chosen={chosen} {...acts} />
          ) : (
            <RangeText start={start} entries={entries} total={data?.totalCount ?? 0} />
          )}
          <div class="row">
            {hint}
            <CsvButton chosen={chosen} filters={filters} total={data?.totalCount ?? 0} />
            <RangePager start={start} total={data?.totalCount ?? 0} setStart={setStart} />
          </div>
        </div>
        <Rows
          loaded={{ data: data && entries, error, reload }}
          empty={
            <>
              <p>
                <strong>{isFiltered ? list.noMatch : list.empty}</strong>
              </p>
              {!isFiltered && <p>{list.emptyHint}</p>}
            </>
          }
          selected={selected}
          setSelected={setSelected}
          {...acts}
          edit={edit}
        />
      </section>
      {dialog}
      {acts.dialog}
    </>
  );
}

/** A page of the filtered list, the selection, and the actions on it. */
function useAnalyses() {
  const { tenantName } = useConsole();
  const [filters, setFilters] = useState(rememberedFilters);
  const [start, setStart] = useState(rememberedStart);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  rememberedFilters = filters;
  rememberedStart = start;

  const found = useLoaded(JSON.stringify([tenantName, filters, start]), {
    load: (signal) => listAnalyses(tenantName, filters, { start, limit: pageSize }, signal),
    pause: (page, unchanged) => (page.entries.some(isAtWork) ? growingPause(unchanged) : null),
  });
  const entries = useMemo(() => found.data?.entries ?? [], [found.data]);
  const ids = async (from: number) => {
    const page = await listAnalyses(tenantName, filters, { start: from, limit: pageSize });
    return page.entries.map(({ id }) => id);
  };
  useEffect(() => {
    const total = found.data?.totalCount ?? 0;
    rememberSequence({ ids: entries.map(({ id }) => id), start, total, load: ids });
  }, [entries]);
  const change = (next: Filters) => {
    setFilters({ ...filters, ...next });
    setStart(0);
    setSelected(new Set());
  };
  return { filters, start, setStart, change, found, entries, selected, setSelected };
}

/** Keys for moving through the rows, and the dialog for a comment. */
export function useCommenting(entries: readonly Analysis[], reload: () => void) {
  const { edit, dialog } = useEditing(reload);
  const hint = useRowKeys((row) => entries[row] && edit(entries[row]));
  return { hint, dialog, edit };
}

/**
 * The actions on analyses, and the dialog that asks before some are deleted.
 *
 * @param reload - called after analyses were run again.
 */
export function useActs(reload: () => void, onDeleted: () => void) {
  const { list, tenantName } = useConsole();
  const { isBusy, run } = useAct(reload);
  const { ask, dialog } = useQuestion(onDeleted);
  return {
    isBusy,
    dialog,
    remove: (unwanted: readonly Analysis[]) =>
      ask({
        title: list.removeTitle(unwanted.length),
        act: list.remove,
        kind: 'danger',
        children: <p>{list.removeHint}</p>,
        send: async () => {
          await Promise.all(unwanted.map(({ id }) => removeAnalysis(tenantName, id)));
          return list.removed(unwanted.length);
        },
      }),
    /** Runs failed analyses again, or upgrades completed ones. */
    again: (some: readonly Analysis[], options = {}) =>
      run(() => Promise.all(some.map(({ id }) => retryAnalysis(tenantName, id, options)))),
  };
}

type Acts = Pick<ReturnType<typeof useActs>, 'remove' | 'again'>;
type RowActs = Acts & Pick<ReturnType<typeof useCommenting>, 'edit'>;

interface CsvButtonProps {
  readonly chosen: readonly Analysis[];
  readonly filters: Filters;
  readonly total: number;
}

/** Saves the chosen analyses or, if none is chosen, all that match the filters. */
function CsvButton({ chosen, filters, total }: CsvButtonProps) {
  const { list, tenantName } = useConsole();
  const { run } = useAct();
  const save = async (): Promise<void> =>
    saveAnalyses(chosen.length > 0 ? chosen : (await listAllAnalyses(tenantName, filters)).entries);
  return (
    <Button kind="little" disabled={total === 0} onClick={() => run(save)}>
      {chosen.length > 0 ? list.csv : list.csvAll}
    </Button>
  );
}

interface RangeTextProps {
  readonly start: number;
  readonly entries: readonly Analysis[];
  readonly total: number;
}

function RangeText({ start, entries, total }: RangeTextProps) {
  const { list, language } = useConsole();
  const write = (value: number) => value.toLocaleString(language);
  const atWork = entries.filter(isAtWork).length;
  return (
    <span class="soft small" role="status">
      {total > 0 && list.range(write(start + 1), write(start + entries.length), write(total))}
      {atWork > 0 && ` · ${atWork} ${wordsIn(language).cases.kinds.atWork}`}
    </span>
  );
}

function ChosenActs({ chosen, remove, again }: Acts & { readonly chosen: readonly Analysis[] }) {
  const { comparison, list } = useConsole();
  const failed = chosen.filter(isFailed);
  const flagged = chosen.filter(isUpgradable);
  return (
    <div class="row">
      <strong class="small">{list.selected(chosen.length)}</strong>
      {chosen.length === 2 && (
        <a class="button little" href={`#/analysis/${chosen[0]!.id}?with=${chosen[1]!.id}`}>
          {comparison.compare}
        </a>
      )}
      {failed.length > 0 && (
        <Button kind="little" onClick={() => again(failed)}>
          {list.retry}
        </Button>
      )}
      {flagged.length > 0 && (
        <Button kind="little" onClick={() => again(flagged, { tier: 'forensicReporting' })}>
          {list.upgrade}
        </Button>
      )}
      <Button kind="little danger" onClick={() => remove(chosen)}>
        {list.remove}
      </Button>
    </div>
  );
}

export function isFailed({ inferenceStatus }: Analysis): boolean {
  return inferenceStatus.status === 'failed';
}

export function isUpgradable({ input, inferenceStatus }: Analysis): boolean {
  return inferenceStatus.status === 'completed' && input.options.tier === 'flagging';
}

function Rows({
  loaded,
  empty,
  selected,
  setSelected,
  ...acts
}: RowActs & {
  readonly loaded: Loaded<readonly Analysis[]>;
  readonly empty: ComponentChildren;
  readonly selected: ReadonlySet<string>;
  readonly setSelected: (next: ReadonlySet<string>) => void;
}) {
  const { list, upload, language } = useConsole();
  const ids = (loaded.data ?? []).map(({ id }) => id);
  const thumbnails = useThumbnails(loaded.data ?? []);
  const isAll = ids.every((id) => selected.has(id));
  const toggle = (id: string) => {
    const next = new Set(selected);
    if (!next.delete(id)) next.add(id);
    setSelected(next);
  };
  const columns: readonly Column<Analysis>[] = [
    {
      head: (
        <input
          type="checkbox"
          aria-label={list.selectAll}
          checked={isAll}
          onChange={() => setSelected(new Set(isAll ? [] : ids))}
        />
      ),
      cell: ({ id, name }) => (
        <input
          type="checkbox"
          aria-label={list.select(name.slice(0, 80))}
          checked={selected.has(id)}
          onChange={() => toggle(id)}
        />
      ),
    },
    { head: list.picture, cell: ({ id }) => <Thumbnail url={thumbnails.get(id)} /> },
    { head: list.name, class: 'name', cell: (analysis) => <Name analysis={analysis} /> },
    {
      head: list.verdict,
      cell: (analysis) => (
        <>
          <ResultBadge analysis={analysis} />
          {isFailed(analysis) && <p class="soft small">{writeReason(analysis, language)}</p>}
        </>
      ),
    },
    timeColumn(list.created, ({ createdDate }) => createdDate),
    {
      head: upload.tier,
      class: 'small soft',
      cell: ({ input }) => upload.tiers[input.options.tier],
    },
    { head: null, cell: (analysis) => <ActsOnRow analysis={analysis} {...acts} /> },
  ];
  return <Table loaded={loaded} empty={empty} columns={columns} keyOf={({ id }) => id} />;
}

function ActsOnRow({ analysis, remove, again, edit }: RowActs & { readonly analysis: Analysis }) {
  const { list, cases } = useConsole();
  const subject = list.of(analysis.name.slice(0, 80));
  return (
    <div class="row">
      {isFailed(analysis) && (
        <RowButton label={list.retry} subject={subject} onClick={() => again([analysis])} />
      )}
      <RowButton label={cases.edit} subject={subject} onClick={() => edit(analysis)} />
      <RowButton
        label={isCancellable(analysis) ? list.cancelRun : list.remove}
        subject={subject}
        onClick={() => remove([analysis])}
      />
    </div>
  );
}

function Name({ analysis }: { readonly analysis: Analysis }) {
  const { cases } = useConsole();
  const { id, name, tags, projectId, comment } = analysis;
  return (
    <>
      <a href={`#/analysis/${id}`} title={name}>
        <bdi>{name}</bdi>
      </a>
      {comment !== '' && <p class="soft small">{comment}</p>}
      {projectId !== null && (
        <a class="tag" href={`#/case/${encodeURIComponent(projectId)}`}>
          {cases.title(projectId)}
        </a>
      )}
      {tags.slice(0, 4).map((tag) => (
        <span key={tag} class="tag">
          {tag}
        </span>
      ))}
    </>
  );
}

const csvColumns: Readonly<Record<string, (analysis: Analysis) => CsvValue>> = {
  id: ({ id }) => id,
  name: ({ name }) => name,
  case: ({ projectId }) => projectId ?? '',
  exhibit: ({ caseData }) => caseData?.exhibit ?? '',
  status: ({ inferenceStatus }) => inferenceStatus.status,
  result: ({ inferenceStatus: { result } }) =>
    result === undefined ? '' : (resultClasses[result.resultClass] ?? ''),
  tier: ({ input }) => input.options.tier,
  created: ({ createdDate }) => createdDate,
  finished: ({ inferenceStatus }) => inferenceStatus.processingFinishTime,
  tags: ({ tags }) => tags.join(' '),
  comment: ({ comment }) => comment,
};

export function saveAnalyses(analyses: readonly Analysis[], name = 'analyses.csv'): void {
  const rows = analyses.map((analysis) => Object.values(csvColumns).map((read) => read(analysis)));
  saveCsv(name, [Object.keys(csvColumns), ...rows]);
}
