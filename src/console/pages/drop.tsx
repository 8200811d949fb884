/** The drop zone for pictures, their options, and the progress of each upload. */

import { useEffect, useState } from 'preact/hooks';
import { maxPixels, sidesOfEverything } from '../../contract/limits.ts';
import { formatNames, mediaTypes } from '../../contract/vocabulary.ts';
import type { DefaultOptions, TenantResponse } from '../../contract/tenant.ts';
import { ApiError } from '../api/client.ts';
import type { Refusal } from '../api/picture.ts';
import { createUploadQueue, isOver, type Transfer, type UploadState } from '../api/upload.ts';
import { messageOf, useConsole } from '../context.ts';
import { FileButton, useFileDrop } from '../parts/files.tsx';
import { SelectField, StrategyField, TextField } from '../parts/form.tsx';
import { useTenantData } from '../parts/loading.ts';
import { writeReason } from '../parts/verdict.ts';
import { fillIn } from '../../present/text.ts';
import { AnalysisLink, Button, ResultBadge } from '../parts/pieces.tsx';
import { splitTags } from './analysis-rows.tsx';
import { SeenLines, useExaminations } from './other-pictures.tsx';

const firstOptions: DefaultOptions = { tier: 'forensicReporting', decisionStrategy: 'default' };
const queue = createUploadQueue();
// Closing the page would cut off its uploads.
addEventListener('beforeunload', (event) => {
  if (queue.transfers.some(({ state }) => !isOver(state))) event.preventDefault();
});

interface DropZoneProps {
  readonly projectId?: string;
  /** Called when pictures have been sent. */
  readonly onProgress: () => void;
}

export function DropZone({ projectId = '', onProgress }: DropZoneProps) {
  const { upload, cases, tenantName, limits } = useConsole();
  const written = useWrittenLimits();
  // The tenant's defaults, until the user chooses.
  const defaults = useTenantData<TenantResponse>('/v1/tenant').data?.defaultOptions;
  const [chosen, setChosen] = useState<Partial<DefaultOptions>>({});
  const options: DefaultOptions = { ...firstOptions, ...defaults, ...chosen };
  const [tags, setTags] = useState('');
  const [caseName, setCaseName] = useState(projectId);

  const add = (files: readonly File[]) => {
    const project = caseName.trim() === '' ? null : caseName.trim();
    queue.add(files, { tenantName, options, limits, tags: splitTags(tags), projectId: project });
  };
  const isHeldOver = useFileDrop(add);
  return (
    <section class="stack" aria-label={upload.title}>
      <div class={isHeldOver ? 'panel drop over' : 'panel drop'}>
        <div class="row apart">
          <div>
            <h2>{upload.title}</h2>
            <p class="soft small">{fillIn(upload.hint, written)}</p>
          </div>
          <div class="row">
            <FileButton
              kind="main"
              label={upload.choose}
              // Raw files have types that differ by camera maker, so any file may be chosen.
              accept={
                limits.formats.includes('raw')
                  ? undefined
                  : limits.formats.map((format) => mediaTypes[format]).join(',')
              }
              onFiles={add}
            />
            <FileButton label={upload.chooseFolder} takesFolder onFiles={add} />
          </div>
        </div>
        <details>
          <summary>{`${upload.options}: ${upload.tiers[options.tier]}`}</summary>
          <div class="columns">
            <SelectField
              label={upload.tier}
              hint={upload.tierHelp}
              options={upload.tiers}
              value={options.tier}
              onValue={(tier) => setChosen({ ...chosen, tier })}
            />
            <StrategyField
              value={options.decisionStrategy}
              onValue={(decisionStrategy) => setChosen({ ...chosen, decisionStrategy })}
            />
            <TextField label={upload.tags} value={tags} onValue={setTags} />
            {projectId === '' && (
              <TextField
                label={cases.case}
                maxLength={200}
                value={caseName}
                onValue={setCaseName}
              />
            )}
          </div>
        </details>
      </div>
      <Transfers onProgress={onProgress} />
    </section>
  );
}

const shownAtMost = 100;
/** Reloading the list for every picture would cost the server more time than the pictures do. */
const sentPerReload = 10;

function useTransfers(onProgress: DropZoneProps['onProgress']): readonly Transfer[] {
  const [transfers, setTransfers] = useState(queue.transfers);
  useEffect(() => {
    // Progress is reported many times a second; redrawing ten times a second is enough.
    let timer: ReturnType<typeof setTimeout> | null = null;
    return queue.subscribe(() => {
      timer ??= setTimeout(() => {
        timer = null;
        setTransfers(queue.transfers);
      }, 100);
    });
  }, []);
  const done = transfers.filter(({ state }) => state.is === 'done').length;
  const isWorking = transfers.some(({ state }) => !isOver(state));
  useEffect(() => {
    if (done > 0) onProgress();
  }, [isWorking ? Math.ceil(done / sentPerReload) : -done]);
  return transfers;
}

function Transfers({ onProgress }: Pick<DropZoneProps, 'onProgress'>) {
  const { upload } = useConsole();
  const transfers = useTransfers(onProgress);
  const endedAs = (...ends: readonly UploadState['is'][]) =>
    transfers.filter(({ state }) => ends.includes(state.is));
  const open = transfers.filter(({ state }) => !isOver(state));
  const refused = endedAs('refused');
  const sent = endedAs('done');
  const examined = useExaminations(sent.flatMap(({ state }) => ('id' in state ? [state.id] : [])));
  const failed = sent.filter(
    ({ state }) =>
      'id' in state && examined.get(state.id)?.analysis?.inferenceStatus.status === 'failed',
  );
  const well = sent.filter((each) => !failed.includes(each));
  // Uploads that need attention come first.
  const shown = [...refused, ...failed, ...open, ...well, ...endedAs('cancelled')];
  if (transfers.length === 0) return null;
  return (
    <div class="panel">
      <div class="row apart">
        <strong role="status">
          {upload.progress(sent.length, transfers.length)}
          {refused.length > 0 && ` · ${upload.refusedCount(refused.length)}`}
          {sent.length > 0 && ` · ${upload.examined(examined.size, sent.length)}`}
          {failed.length > 0 && ` · ${upload.failedCount(failed.length)}`}
        </strong>
        <Button kind="little" onClick={() => (open.length > 0 ? queue.cancel() : queue.clear())}>
          {open.length > 0 ? upload.cancelAll : upload.clear}
        </Button>
      </div>
      <progress
        value={open.length > 0 ? transfers.length - open.length : examined.size}
        max={open.length > 0 ? transfers.length : sent.length}
        aria-label={upload.title}
      />
      <ul class="plain transfers" tabIndex={0} aria-label={upload.title}>
        {shown.slice(0, shownAtMost).map((transfer) => (
          <TransferLine key={transfer.id} transfer={transfer} examined={examined} />
        ))}
      </ul>
    </div>
  );
}

type Examined = ReturnType<typeof useExaminations>;

function TransferLine({ transfer, examined }: { transfer: Transfer; examined: Examined }) {
  const { name, state } = transfer;
  const { analysis = null, seen = [] } =
    (state.is === 'done' ? examined.get(state.id) : undefined) ?? {};
  // Copies in the same drop come first.
  const ordered = seen.toSorted((one, other) => +examined.has(other.id) - +examined.has(one.id));
  const { intake, common, upload, language } = useConsole();
  const written = useWrittenLimits();
  return (
    <li class="small">
      <div class="row apart">
        {state.is === 'done' ? <AnalysisLink id={state.id} name={name} /> : <bdi>{name}</bdi>}
        {state.is === 'uploading' && !state.isRetrying ? (
          <progress value={state.share} max={1} aria-label={name} />
        ) : analysis === null ? (
          <span class={state.is === 'refused' ? 'badge failed' : ''}>
            {upload.states[state.is]}
          </span>
        ) : (
          <ResultBadge analysis={analysis} />
        )}
      </div>
      {analysis !== null && (
        <div class="soft">
          {writeReason(analysis, language)}
          <SeenLines seen={ordered} analysis={analysis} />
        </div>
      )}
      {state.is === 'refused' && (
        <p class="soft">
          {state.refusal === null
            ? state.error instanceof ApiError && state.error.message !== ''
              ? messageOf(state.error, common)
              : upload.interrupted
            : fillIn(upload.refusals[state.refusal], written)}
          {intake === 'contract' && aboutIntake.has(state.refusal) && ` ${upload.askOperator}`}
        </p>
      )}
    </li>
  );
}

/** A server with the setting `intake: everything` might accept these. */
const aboutIntake: ReadonlySet<Refusal | null> = new Set(['otherFormat', 'tooLarge']);

/** The limits as written in the user's language, by the names of the gaps in the words. */
function useWrittenLimits() {
  const { limits, language } = useConsole();
  const write = (value: number) => value.toLocaleString(language, { maximumFractionDigits: 1 });
  return {
    minSide: write(limits.minSidePx),
    maxSide: write(limits.maxSidePx),
    megapixels: write(maxPixels / 1e6),
    largestSide: write(sidesOfEverything.server),
    megabytes: write(limits.maxBytes / 1e6),
    formats: limits.formats.map((format) => formatNames[format]).join(', '),
  };
}
