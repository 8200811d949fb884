/** Case, exhibit, examiner, tags and comment of an analysis, shown and edited in one place. */

import type { Analysis } from '../../contract/analysis.ts';
import { ask } from '../api/client.ts';
import { useConsole } from '../context.ts';
import { type Fields, FormDialog, TextField } from '../parts/form.tsx';
import { wordsIn } from '../../present/wording/catalogue.ts';

interface DescriptionProps {
  readonly analysis: Analysis;
  readonly isEditing: boolean;
  readonly onClose: () => void;
}

export function Description({ analysis, isEditing, onClose }: DescriptionProps) {
  const { tags, comment, caseData } = analysis;
  const { cases, language } = useConsole();
  const { exhibit, examiner } = caseData ?? {};
  const stated = [
    exhibit && `${wordsIn(language).document.caseData.exhibit}: ${exhibit}`,
    examiner && `${cases.examiner}: ${examiner}`,
  ].filter(Boolean);
  return (
    <>
      {(tags.length > 0 || comment !== '' || stated.length > 0) && (
        <div class="row soft small tight">
          {stated.length > 0 && <span>{stated.join(' · ')}</span>}
          {tags.map((tag) => (
            <span key={tag} class="tag">
              {tag}
            </span>
          ))}
          {comment !== '' && <p class="prose">{comment}</p>}
        </div>
      )}
      {isEditing && <EditDialog analysis={analysis} onClose={onClose} />}
    </>
  );
}

export function EditDialog({ analysis, onClose }: Omit<DescriptionProps, 'isEditing'>) {
  const { cases: text, common, upload, tenantName, language } = useConsole();
  const { id, comment, projectId, tags, caseData } = analysis;
  const send = async (fields: Fields): Promise<void> => {
    const body = {
      tenantName,
      id,
      comment: fields['comment'],
      tags: splitTags(fields['tags'] ?? ''),
      projectId: textOf(fields['projectId']) ?? null,
      caseData: { exhibit: textOf(fields['exhibit']), examiner: textOf(fields['examiner']) },
    };
    await ask('/v1/analysis', { method: 'PUT', body });
    onClose();
  };
  return (
    <FormDialog title={text.edit} act={common.save} onDone={onClose} send={send}>
      <TextField label={text.comment} name="comment" maxLength={500} defaultValue={comment} />
      <TextField
        label={text.case}
        name="projectId"
        maxLength={200}
        defaultValue={projectId ?? ''}
      />
      <TextField
        label={wordsIn(language).document.caseData.exhibit}
        name="exhibit"
        maxLength={80}
        defaultValue={caseData?.exhibit ?? ''}
      />
      <TextField
        label={text.examiner}
        name="examiner"
        hint={text.printed}
        autocomplete="name"
        maxLength={80}
        defaultValue={caseData?.examiner ?? ''}
      />
      <TextField label={upload.tags} name="tags" defaultValue={tags.join(', ')} />
    </FormDialog>
  );
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
