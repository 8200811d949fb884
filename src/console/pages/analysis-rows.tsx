/** The rows of analyses in a table, of all or of a case, and what a user does with them. */

import type { ComponentChildren } from 'preact';
import type { Analysis } from '../../contract/analysis.ts';
import { removeAnalysis } from '../api/analyses.ts';
import { useConsole } from '../context.ts';
import { TextField, useAct, useQuestion } from '../parts/form.tsx';
import { type Act, AnalysisLink, isAtWork, isFailed, ResultBadge } from '../parts/pieces.tsx';
import { actsColumn, type Column, Thumbnail, timeColumn, useThumbnails } from '../parts/table.tsx';
import { ask } from '../api/client.ts';
import { withoutControls } from '../../present/text.ts';
import { wordsIn } from '../../present/wording/catalogue.ts';

/** The actions on analyses, and their dialogs. @param reload - called after analyses were edited or run again. */
export function useActs(reload: () => void, onDeleted: () => void) {
  const { list, cases, tenantName } = useConsole();
  const { isBusy, run } = useAct(reload);
  const { ask: open, dialog } = useQuestion(onDeleted);
  const { edit, dialog: editing } = useEditing(reload);
  const runAgain = (some: readonly Analysis[], options: object) =>
    run(() =>
      Promise.all(
        some.map(({ id }) => ask('/v1/analysis/retry', { body: { tenantName, id, options } })),
      ),
    );
  const again = (failed: readonly Analysis[]) => runAgain(failed, {});
  const upgrade = (some: readonly Analysis[]) => runAgain(some, { tier: 'forensicReporting' });
  const remove = (unwanted: readonly Analysis[]) => {
    let left = unwanted;
    open({
      title: list.removeTitle(unwanted.length),
      act: list.remove,
      kind: 'danger',
      children: <p>{list.removeHint}</p>,
      send: async () => {
        const all = left.map(async ({ id }) => removeAnalysis({ tenantName, id }));
        const ends = await Promise.allSettled(all);
        left = left.filter((_, at) => ends[at]?.status === 'rejected');
        const failed = ends.find(({ status }) => status === 'rejected');
        if (failed?.status === 'rejected') throw failed.reason;
      },
      done: list.removed(unwanted.length),
    });
  };
  const actsOn = (analysis: Analysis): readonly Act[] => [
    isFailed(analysis) && [list.retry, () => again([analysis])],
    [cases.edit, () => edit(analysis)],
    [isAtWork(analysis) ? list.cancelRun : list.remove, () => remove([analysis])],
  ];
  const column = actsColumn(actsOn, ({ name }) => list.of(name.slice(0, 80)));
  return { isBusy, dialogs: [dialog, editing], edit, remove, again, upgrade, actsOn, column };
}

export type Acts = ReturnType<typeof useActs>;

/** Picture, name, result and time of each analysis. @param note - shown below the result. */
export function useMainColumns(
  entries: readonly Analysis[],
  isInCase: boolean,
  note: (analysis: Analysis) => ComponentChildren,
): readonly Column<Analysis>[] {
  const { list } = useConsole();
  const thumbnails = useThumbnails(entries);
  return [
    { head: list.picture, cell: ({ id }) => <Thumbnail url={thumbnails.get(id)} /> },
    {
      head: list.name,
      class: 'name',
      cell: (analysis) => <Name analysis={analysis} isInCase={isInCase} />,
    },
    {
      head: list.verdict,
      cell: (analysis) => (
        <>
          <ResultBadge analysis={analysis} />
          <div class="soft small">{note(analysis)}</div>
        </>
      ),
    },
    timeColumn(list.created, ({ createdDate }) => createdDate),
  ];
}

function Name({ analysis, isInCase }: { analysis: Analysis; isInCase: boolean }) {
  const { cases } = useConsole();
  const { id, name, tags, projectId, comment } = analysis;
  return (
    <>
      <AnalysisLink id={id} name={name} />
      {comment !== '' && <p class="soft small">{comment}</p>}
      <div class="row">
        {projectId !== null && !isInCase && (
          <a class="tag" href={`#/case/${encodeURIComponent(projectId)}`}>
            {cases.title(projectId)}
          </a>
        )}
        <Tags tags={tags.slice(0, 4)} />
      </div>
    </>
  );
}

function Tags({ tags }: Pick<Analysis, 'tags'>) {
  return tags.map((tag) => (
    <span key={tag} class="tag">
      {withoutControls(tag)}
    </span>
  ));
}

// Case, exhibit, examiner, tags and comment of an analysis, shown and edited in one place.

export function Description({ analysis }: { readonly analysis: Analysis }) {
  const { tags, comment, caseData } = analysis;
  const { cases, language } = useConsole();
  const { exhibit, examiner } = caseData ?? {};
  const stated = [
    exhibit && `${wordsIn(language).document.caseData.exhibit}: ${exhibit}`,
    examiner && `${cases.examiner}: ${examiner}`,
  ].filter(Boolean);
  if (tags.length === 0 && comment === '' && stated.length === 0) return null;
  return (
    <div class="row soft small">
      {stated.length > 0 && <span>{withoutControls(stated.join(' · '))}</span>}
      <Tags tags={tags} />
      {comment !== '' && <p class="prose">{comment}</p>}
    </div>
  );
}

/** The dialog for editing them. @param reload - called afterwards. */
function useEditing(reload: () => void) {
  const { cases: text, common, upload, tenantName, language } = useConsole();
  const { ask: open, dialog } = useQuestion(reload);
  const edit = ({ id, comment, projectId, tags, caseData }: Analysis) => {
    const { exhibit: exhibitLabel } = wordsIn(language).document.caseData;
    const stated = { exhibit: '', examiner: '', ...caseData };
    const fields: readonly Parameters<typeof TextField>[0][] = [
      { label: text.comment, name: 'comment', maxLength: 500, defaultValue: comment },
      { label: text.case, name: 'projectId', maxLength: 200, defaultValue: projectId ?? '' },
      { label: exhibitLabel, name: 'exhibit', maxLength: 80, defaultValue: stated.exhibit },
      {
        label: text.examiner,
        name: 'examiner',
        hint: text.printed,
        autocomplete: 'name',
        maxLength: 80,
        defaultValue: stated.examiner,
      },
      { label: upload.tags, name: 'tags', defaultValue: tags.join(', ') },
    ];
    open({
      title: text.edit,
      act: common.save,
      children: fields.map((field) => <TextField key={field.name} {...field} />),
      send: async ({ comment: said, tags: typed = '', projectId: name, exhibit, examiner }) => {
        const described = {
          comment: said,
          tags: splitTags(typed),
          projectId: textOf(name) ?? null,
        };
        const caseFields = { exhibit: textOf(exhibit), examiner: textOf(examiner) };
        const body = { tenantName, id, ...described, caseData: caseFields };
        await ask('/v1/analysis', { method: 'PUT', body });
      },
    });
  };
  return { edit, dialog };
}

function textOf(value = ''): string | undefined {
  return value.trim() === '' ? undefined : value.trim();
}

export function splitTags(tags: string): string[] {
  return tags
    .split(',')
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '');
}
