/** Other pictures of the tenant that show the same as this one, laid on it. */

import { useState } from 'preact/hooks';
import type { Analysis } from '../../contract/analysis.ts';
import type { SeenBefore } from '../../contract/seen-before.ts';
import { getAnalysis } from '../api/analyses.ts';
import { ask } from '../api/client.ts';
import { useConsole } from '../context.ts';
import { SelectField } from '../parts/form.tsx';
import { useLoaded } from '../parts/loading.ts';
import { Awaited, Panel, writeTime } from '../parts/pieces.tsx';

/** Nothing where no other picture is known. */
export function SeenBeforePanel({ analysis }: { readonly analysis: Analysis }) {
  const { words, tenantName } = useConsole();
  const { seenBefore: text } = words.analysis;
  const isDone = analysis.inferenceStatus.status === 'completed';
  const [chosen, setChosen] = useState<string | null>(null);
  const { data } = useLoaded(`seen before ${tenantName} ${analysis.id} ${isDone}`, {
    load: async (signal) => {
      return isDone ? listSeenBefore(tenantName, analysis.id, signal) : [];
    },
  });
  if (data === null || data.length === 0) return null;
  const shown = data.find(({ id }) => id === chosen) ?? data[0]!;
  return (
    <Panel title={text.title}>
      <p class="soft">{text.intro(data.length)}</p>
      <ul class="plain">
        {data.map((other) => (
          <li key={other.id} class="row apart">
            <SeenLine other={other} isBefore={other.createdDate < analysis.createdDate} />
            <button type="button" disabled={other === shown} onClick={() => setChosen(other.id)}>
              {text.show}
            </button>
          </li>
        ))}
      </ul>
      <Overlay key={shown.id} analysis={analysis} other={shown} />
    </Panel>
  );
}

export async function listSeenBefore(
  tenantName: string,
  id: string,
  signal: AbortSignal,
): Promise<readonly SeenBefore[]> {
  const query = { tenantName, id };
  const path = '/v1/analysis/seen-before';
  return (await ask<{ readonly data: readonly SeenBefore[] }>(path, { query, signal })).data;
}

export function SeenLine({
  other: { id, name, createdDate, projectId, alignment },
  isBefore,
}: {
  readonly other: SeenBefore;
  readonly isBefore: boolean;
}) {
  const { words, language } = useConsole();
  const { seenBefore: text } = words.analysis;
  const facts = [
    writeTime(createdDate, language),
    ...(projectId === null ? [] : [text.inCase(projectId)]),
    ...(alignment.isMirrored ? [text.mirrored] : []),
  ];
  return (
    <span>
      {isBefore ? text.before : text.after}{' '}
      <a href={`#/analysis/${id}`}>
        <bdi>{name}</bdi>
      </a>
      <span class="soft">, {facts.join(', ')}</span>
    </span>
  );
}

type Mode = 'difference' | 'above' | 'below';

interface Size {
  readonly width: number;
  readonly height: number;
}

/** The other picture, and this one over the part of it that both show. */
function Overlay({ analysis, other }: { readonly analysis: Analysis; readonly other: SeenBefore }) {
  const { words, tenantName } = useConsole();
  const { seenBefore: text } = words.analysis;
  const [mode, setMode] = useState<Mode>('difference');
  const [size, setSize] = useState<Size>(analysis.input);
  const [otherSize, setOtherSize] = useState<Size | null>(null);
  const loaded = useLoaded(`${tenantName} ${other.id}`, {
    load: (signal) => getAnalysis(tenantName, other.id, signal),
  });
  const { isMirrored, scale, left, top } = other.alignment;
  // The alignment is in shares of the longer side of each picture; styles are in shares of the frame.
  const longer = otherSize && Math.max(otherSize.width, otherSize.height);
  const percent = (share: number, side: number) => `${(100 * share * (longer ?? 1)) / side}%`;
  const width = (scale * size.width) / Math.max(size.width, size.height);
  return (
    <Awaited loaded={loaded}>
      {({ input }) => (
        <>
          <SelectField
            label={text.modes.label}
            options={text.modes.options}
            value={mode}
            onValue={setMode}
          />
          <div class="overlay">
            <img
              src={input.storageUrls.getUrl}
              alt={other.name}
              onLoad={({ currentTarget }) => setOtherSize(naturalSize(currentTarget))}
            />
            {otherSize !== null && (
              <img
                class={mode}
                src={analysis.input.storageUrls.getUrl}
                alt=""
                style={{
                  left: percent(left, otherSize.width),
                  top: percent(top, otherSize.height),
                  width: percent(width, otherSize.width),
                  transform: isMirrored ? 'scaleX(-1)' : 'none',
                }}
                onLoad={({ currentTarget }) => setSize(naturalSize(currentTarget))}
              />
            )}
          </div>
          <p class="soft small">{text.modes.hints[mode]}</p>
        </>
      )}
    </Awaited>
  );
}

/** As a viewer shows it: the browser applies the EXIF orientation. */
function naturalSize({ naturalWidth: width, naturalHeight: height }: HTMLImageElement): Size {
  return { width, height };
}
