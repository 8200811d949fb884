/** Case, tags and comment of an analysis, shown and edited in one place. */

import { useState } from 'preact/hooks';
import type { Analysis } from '../../contract/analysis.ts';
import { ask } from '../api/client.ts';
import { useConsole } from '../context.ts';
import { FormDialog, TextField } from '../parts/form.tsx';
import { Button } from '../parts/pieces.tsx';

export function Description({
  analysis,
  reload,
}: {
  readonly analysis: Analysis;
  readonly reload: () => void;
}) {
  const { cases: text } = useConsole().words;
  const [isOpen, setOpen] = useState(false);
  const { projectId, tags, comment } = analysis;
  return (
    <>
      <div class="row soft small">
        {projectId !== null && (
          <a href={`#/case/${encodeURIComponent(projectId)}`}>{text.title(projectId)}</a>
        )}
        {tags.map((tag) => (
          <span key={tag} class="tag">
            {tag}
          </span>
        ))}
        <Button kind="quiet little" onClick={() => setOpen(true)}>
          {text.edit}
        </Button>
      </div>
      {comment !== '' && <p class="prose">{comment}</p>}
      {isOpen && (
        <EditDialog
          analysis={analysis}
          onClose={() => {
            setOpen(false);
            reload();
          }}
        />
      )}
    </>
  );
}

function EditDialog({
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
      <TextField label={text.case} maxLength={200} value={projectId} onValue={setProjectId} />
      <TextField label={upload.tags} value={tags} onValue={setTags} />
      <TextField label={text.comment} maxLength={500} value={comment} onValue={setComment} />
    </FormDialog>
  );
}

export function splitTags(tags: string): string[] {
  return tags
    .split(',')
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '');
}
