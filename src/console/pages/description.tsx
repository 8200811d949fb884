/** Case, exhibit, examiner, tags and comment of an analysis, shown and edited in one place. */

import type { Analysis } from '../../contract/analysis.ts';
import { ask } from '../api/client.ts';
import { useConsole } from '../context.ts';
import { TextField, useQuestion } from '../parts/form.tsx';
import { wordsIn } from '../../present/wording/catalogue.ts';

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
      {stated.length > 0 && <span>{stated.join(' · ')}</span>}
      {tags.map((tag) => (
        <span key={tag} class="tag">
          {tag}
        </span>
      ))}
      {comment !== '' && <p class="prose">{comment}</p>}
    </div>
  );
}

/** The dialog for editing them. @param reload - called afterwards. */
export function useEditing(reload: () => void) {
  const { cases: text, common, upload, tenantName, language } = useConsole();
  const { ask: open, dialog } = useQuestion(reload);
  const edit = ({ id, comment, projectId, tags, caseData }: Analysis) => {
    const fields: readonly Parameters<typeof TextField>[0][] = [
      { label: text.comment, name: 'comment', maxLength: 500, defaultValue: comment },
      { label: text.case, name: 'projectId', maxLength: 200, defaultValue: projectId ?? '' },
      {
        label: wordsIn(language).document.caseData.exhibit,
        name: 'exhibit',
        maxLength: 80,
        defaultValue: caseData?.exhibit ?? '',
      },
      {
        label: text.examiner,
        name: 'examiner',
        hint: text.printed,
        autocomplete: 'name',
        maxLength: 80,
        defaultValue: caseData?.examiner ?? '',
      },
      { label: upload.tags, name: 'tags', defaultValue: tags.join(', ') },
    ];
    open({
      title: text.edit,
      act: common.save,
      children: fields.map((field) => <TextField key={field.name} {...field} />),
      send: async ({ comment: said, tags: typed = '', projectId: name, exhibit, examiner }) => {
        const caseFields = { exhibit: textOf(exhibit), examiner: textOf(examiner) };
        const described = {
          comment: said,
          tags: splitTags(typed),
          projectId: textOf(name) ?? null,
        };
        const body = { tenantName, id, ...described, caseData: caseFields };
        await ask('/v1/analysis', { method: 'PUT', body });
      },
    });
  };
  return { edit, dialog };
}

/** The text, or undefined if it is empty. */
function textOf(value = ''): string | undefined {
  return value.trim() === '' ? undefined : value.trim();
}

export function splitTags(tags: string): string[] {
  return tags
    .split(',')
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '');
}
