/** Case, tags and comment of an analysis, shown and edited in one place. */

import { useState } from 'preact/hooks';
import type { Analysis } from '../../contract/analysis.ts';
import { ask } from '../api/client.ts';
import { useConsole } from '../context.ts';
import { FormDialog, TextField } from '../parts/form.tsx';

export function Description({
  analysis,
  isEditing,
  onClose,
}: {
  readonly analysis: Analysis;
  readonly isEditing: boolean;
  readonly onClose: () => void;
}) {
  const { tags, comment } = analysis;
  return (
    <>
      {(tags.length > 0 || comment !== '') && (
        <div class="row soft small tight">
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

export function EditDialog({
  analysis,
  onClose,
}: {
  readonly analysis: Analysis;
  readonly onClose: () => void;
}) {
  const { words, tenantName } = useConsole();
  const { cases: text, common, upload } = words;
  const [projectId, setProjectId] = useState(analysis.projectId ?? '');
  const [tags, setTags] = useState(analysis.tags.join(', '));
  const [comment, setComment] = useState(analysis.comment);
  const send = async (): Promise<void> => {
    const body = {
      tenantName,
      id: analysis.id,
      comment,
      tags: splitTags(tags),
      projectId: projectId.trim() === '' ? null : projectId.trim(),
    };
    await ask('/v1/analysis', { method: 'PUT', body });
    onClose();
  };
  return (
    <FormDialog title={text.edit} act={common.save} onClose={onClose} send={send}>
      <TextField label={text.comment} maxLength={500} value={comment} onValue={setComment} />
      <TextField label={text.case} maxLength={200} value={projectId} onValue={setProjectId} />
      <TextField label={upload.tags} value={tags} onValue={setTags} />
    </FormDialog>
  );
}

export function splitTags(tags: string): string[] {
  return tags
    .split(',')
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '');
}
