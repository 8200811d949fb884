/** The analyses of the tenant, with the drop zone for new ones. */

import { useEffect, useMemo, useState } from 'preact/hooks';
import type { Analysis } from '../../contract/analysis.ts';
import { wordsIn } from '../../present/wording/catalogue.ts';
import { type Filters, listAllAnalyses, listAnalyses } from '../api/analyses.ts';
import { useConsole } from '../context.ts';
import { saveAnalyses } from '../parts/files.tsx';
import { PeriodFields, SelectField, TextField, useAct } from '../parts/form.tsx';
import { growingPause, useLoaded } from '../parts/loading.ts';
import { Button, Buttons, isAtWork, isFailed, isUpgradable, PageTitle } from '../parts/pieces.tsx';
import { type Column, FilterForm, pageSize, RangePager, Table } from '../parts/table.tsx';
import { rememberSequence, useRowKeys } from '../parts/review.tsx';
import { writeReason } from '../parts/verdict.ts';
import { type Acts, useActs, useMainColumns } from './analysis-rows.tsx';
import { DropZone } from './drop.tsx';

// Kept so that the list is unchanged when the user returns from an analysis.
let rememberedFilters: Filters = {};
let rememberedStart = 0;

export function AnalysesPage() {
  const { nav, list } = useConsole();
  const view = useAnalyses();
  const { found, entries, chosen, isFiltered, setSelected } = view;
  const { data, error, reload } = found;
  const acts = useActs(reload, () => {
    setSelected(new Set());
    reload();
  });
  const hint = useRowKeys((row) => entries[row] && acts.edit(entries[row]));
  return (
    <>
      <PageTitle text={nav.analyses} />
      <DropZone onProgress={reload} />
      <section class="panel flush" aria-label={nav.analyses}>
        <FilterBar {...view} />
        <div class="toolbar row apart">
          {chosen.length > 0 ? <ChosenActs chosen={chosen} {...acts} /> : <RangeText {...view} />}
          <div class="row">
            {hint}
            <CsvButton {...view} />
            <RangePager {...view} />
          </div>
        </div>
        <Table
          loaded={{ data: data && entries, error, reload }}
          empty={
            <>
              <strong>{isFiltered ? list.noMatch : list.empty}</strong>
              {!isFiltered && <p>{list.emptyHint}</p>}
            </>
          }
          columns={useColumns({ ...view, ...acts })}
          keyOf={({ id }) => id}
        />
      </section>
      {acts.dialogs}
    </>
  );
}

type View = ReturnType<typeof useAnalyses>;

function useAnalyses() {
  const { tenantName } = useConsole();
  const [filters, setFilters] = useState(rememberedFilters);
  const [start, setStart] = useState(rememberedStart);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  rememberedFilters = filters;
  rememberedStart = start;

  const pageAt = async (from: number, signal?: AbortSignal) =>
    listAnalyses(tenantName, filters, { start: from, limit: pageSize }, signal);
  const found = useLoaded(JSON.stringify([tenantName, filters, start]), {
    load: (signal) => pageAt(start, signal),
    pause: (page, unchanged) => (page.entries.some(isAtWork) ? growingPause(unchanged) : null),
  });
  const entries = useMemo(() => found.data?.entries ?? [], [found.data]);
  const total = found.data?.totalCount ?? 0;
  useEffect(() => {
    const load = async (from: number) => (await pageAt(from)).entries.map(({ id }) => id);
    rememberSequence({ ids: entries.map(({ id }) => id), start, total, load });
  }, [entries]);
  const change = (next: Filters) => {
    setFilters(next);
    setStart(0);
    setSelected(new Set());
  };
  const chosen = entries.filter(({ id }) => selected.has(id));
  const isFiltered = Object.values(filters).some((value) => value !== '');
  const shown = { found, entries, total, start, setStart, filters, isFiltered, change };
  return { ...shown, selected, setSelected, chosen };
}

function FilterBar({ filters, change, isFiltered }: View) {
  const { list } = useConsole();
  const { searchTerm = '', verdict = '', status = '', tag = '' } = filters;
  return (
    <FilterForm isFiltered={isFiltered} onFields={change}>
      <TextField
        label={list.search}
        name="searchTerm"
        type="search"
        placeholder={list.searchIn}
        maxLength={500}
        defaultValue={searchTerm}
      />
      <SelectField
        label={list.verdict}
        name="verdict"
        options={{ '': list.any, ...list.results }}
        value={verdict}
      />
      <SelectField
        label={list.status}
        name="status"
        options={{ '': list.any, ...list.statuses }}
        value={status}
      />
      <TextField label={list.tag} name="tag" defaultValue={tag} />
      <PeriodFields period={filters} />
    </FilterForm>
  );
}

/** Saves the chosen analyses or, if none is chosen, all that match the filters. */
function CsvButton({ chosen, filters, total }: View) {
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

function RangeText({ start, entries, total }: View) {
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

function ChosenActs({ chosen, ...acts }: Acts & { readonly chosen: readonly Analysis[] }) {
  const { comparison, list } = useConsole();
  const { remove, again, upgrade } = acts;
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
      <Buttons
        kind="little"
        acts={[
          failed.length > 0 && [list.retry, () => again(failed)],
          flagged.length > 0 && [list.upgrade, () => upgrade(flagged)],
          [list.remove, () => remove(chosen), 'little danger'],
        ]}
      />
    </div>
  );
}

function useColumns(view: Acts & View): readonly Column<Analysis>[] {
  const { list, upload, language } = useConsole();
  const { entries, selected, setSelected, column } = view;
  const ids = entries.map(({ id }) => id);
  const isAll = ids.every((id) => selected.has(id));
  const toggle = (id: string) => {
    const next = new Set(selected);
    if (!next.delete(id)) next.add(id);
    setSelected(next);
  };
  return [
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
    ...useMainColumns(entries, false, (analysis) => writeReason(analysis, language)),
    {
      head: upload.tier,
      class: 'small soft',
      cell: ({ input }) => upload.tiers[input.options.tier],
    },
    column,
  ];
}
