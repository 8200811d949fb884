/** The rows of analyses in a table, of all or of a case, and what a user does with them. */

import type { ComponentChildren } from 'preact';
import type { Analysis } from '../../contract/analysis.ts';
import { removeAnalysis, retryAnalysis } from '../api/analyses.ts';
import { useConsole } from '../context.ts';
import { useAct, useQuestion } from '../parts/form.tsx';
import { isCancellable, isFailed, ResultBadge } from '../parts/pieces.tsx';
import { useRowKeys } from '../parts/review.tsx';
import { type Column, RowButton, Thumbnail, timeColumn, useThumbnails } from '../parts/table.tsx';
import { useEditing } from './description.tsx';

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
    remove: (unwanted: readonly Analysis[]) => {
      let left = unwanted;
      ask({
        title: list.removeTitle(unwanted.length),
        act: list.remove,
        kind: 'danger',
        children: <p>{list.removeHint}</p>,
        send: async () => {
          const ends = await Promise.allSettled(
            left.map(({ id }) => removeAnalysis(tenantName, id)),
          );
          left = left.filter((_, at) => ends[at]?.status === 'rejected');
          const failed = ends.find(({ status }) => status === 'rejected');
          if (failed?.status === 'rejected') throw failed.reason;
          return list.removed(unwanted.length);
        },
      });
    },
    /** Runs failed analyses again, or upgrades completed ones. */
    again: (some: readonly Analysis[], options = {}) =>
      run(() => Promise.all(some.map(({ id }) => retryAnalysis(tenantName, id, options)))),
  };
}

export type Acts = Pick<ReturnType<typeof useActs>, 'remove' | 'again'>;
export type RowActs = Acts & Pick<ReturnType<typeof useCommenting>, 'edit'>;

/**
 * Picture, name, result and time of each analysis.
 *
 * @param isInCase - whether the page is that of their case.
 * @param note - shown below the result.
 */
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

export function ActsOnRow({
  analysis,
  remove,
  again,
  edit,
}: RowActs & { readonly analysis: Analysis }) {
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

interface NameProps {
  readonly analysis: Analysis;
  readonly isInCase: boolean;
}

function Name({ analysis, isInCase }: NameProps) {
  const { cases } = useConsole();
  const { id, name, tags, projectId, comment } = analysis;
  return (
    <>
      <a href={`#/analysis/${id}`} title={name}>
        <bdi>{name}</bdi>
      </a>
      {comment !== '' && <p class="soft small">{comment}</p>}
      <div class="row">
        {projectId !== null && !isInCase && (
          <a class="tag" href={`#/case/${encodeURIComponent(projectId)}`}>
            {cases.title(projectId)}
          </a>
        )}
        {tags.slice(0, 4).map((tag) => (
          <span key={tag} class="tag">
            {tag}
          </span>
        ))}
      </div>
    </>
  );
}
