/** Compares two pictures. The second is from the same case, shows the same thing, or was chosen in the list. */

import { useState } from 'preact/hooks';
import { useConsole } from '../context.ts';
import type { Analysis } from '../../contract/analysis.ts';
import { AnalysisLink, Awaited, Choices, PageTitle } from '../parts/pieces.tsx';
import { writeVerdict } from '../parts/verdict.ts';
import { useAnalysis } from './analysis.tsx';
import { useSeenBefore } from './other-pictures.tsx';
import type { SeenBefore } from '../../contract/seen-before.ts';
import { wordsIn } from '../../present/wording/catalogue.ts';
import { useLoaded } from '../parts/loading.ts';
import { firstLook, layOn } from '../parts/look.ts';
import { type Layer, useUpright, Viewer, ViewerControls } from '../parts/viewer.tsx';
import { comparedSide, differingParts } from '../../detectors/thumbnail-difference.ts';
import { type PixelBox, scaledSize, type Size, toLuma, toRgb } from '../../image/pixels.ts';

export function ComparePage({ id, otherId }: { readonly id: string; readonly otherId: string }) {
  const { comparison } = useConsole();
  const one = useAnalysis(id);
  const other = useAnalysis(otherId);
  return (
    <>
      <p>
        <a href={`#/analysis/${id}`}>‹ {comparison.end}</a>
      </p>
      <PageTitle text={comparison.title} />
      <Awaited loaded={one}>
        {(first) => (
          <Awaited loaded={other}>
            {(second) => (
              <>
                <Comparison one={first} other={second} />
                <div class="columns">
                  <Caption analysis={first} />
                  <Caption analysis={second} />
                </div>
              </>
            )}
          </Awaited>
        )}
      </Awaited>
    </>
  );
}

function Caption({ analysis }: { readonly analysis: Analysis }) {
  const { language } = useConsole();
  const verdict = writeVerdict(analysis, language);
  return (
    <div>
      <h2>
        <AnalysisLink id={analysis.id} name={analysis.name} />
      </h2>
      <p>
        {verdict?.headline} <span class="soft">{verdict?.because}</span>
      </p>
    </div>
  );
}

const modes = ['side', 'difference', 'flicker'] as const;
const overlays = {
  difference: { mixBlendMode: 'difference' },
  flicker: { class: 'flicker' },
} as const;

/** Shows the two pictures side by side, moving together, or overlaid if both show the same thing. */
function Comparison({ one, other }: Readonly<Record<'one' | 'other', Analysis>>) {
  const { comparison: text, analysis } = useConsole();
  const [mode, setMode] = useState<(typeof modes)[number]>('side');
  const [look, setLook] = useState(firstLook);
  // Null unless both are known to show the same thing.
  const alignment = useSeenBefore(one).find(({ id }) => id === other.id)?.alignment ?? null;
  const layers = useLayers(one, other, alignment);
  const { size, lower, upper, isPreview } = layers;
  const { marks, found } = useDifferences(alignment !== null && !isPreview, layers);
  const common = { size, look, setLook, marks };
  return (
    <section class="panel" aria-label={text.title}>
      <div class="row apart">
        <Choices
          label={text.mode}
          ids={modes}
          texts={text.modes}
          chosen={mode}
          onChoose={setMode}
        />
        <ViewerControls look={look} setLook={setLook} hasMaps={false} />
      </div>
      {mode === 'side' ? (
        <div class="columns">
          <Viewer {...common} layers={[upper]} name={one.name} />
          <Viewer {...common} layers={[lower]} name={other.name} />
        </div>
      ) : (
        <Viewer {...common} layers={[lower, { ...upper, ...overlays[mode] }]} name={text.title} />
      )}
      <p class="soft small">
        {text.hints[mode]} {alignment === null && mode !== 'side' && text.notAligned}
      </p>
      <p role="status">{isPreview ? analysis.preview : found}</p>
    </section>
  );
}

/** Frames around the parts that differ and a sentence about them, as in the report. */
function useDifferences(isAligned: boolean, { lower, upper, size }: ReturnType<typeof useLayers>) {
  const { comparison, language } = useConsole();
  const [selected, setSelected] = useState<number | null>(null);
  const key = `differences ${lower.url} ${upper.url} ${upper.transform} ${isAligned}`;
  const { data, error } = useLoaded(key, {
    load: async () => (isAligned ? findDifferences(lower, upper, size) : null),
  });
  const marks = (data ?? []).map((box, at) => ({
    number: at + 1,
    boxes: [box],
    label: comparison.part(at + 1),
    isSelected: selected === at,
    onSelect: () => setSelected(selected === at ? null : at),
  }));
  const { alike, framed } = wordsIn(language).document.seen;
  const found = data && (marks.length === 0 ? alike : framed);
  return { marks, found: error === null ? found : comparison.notMarked };
}

/** Layers in pixels of the other picture, so that the two pictures can be stacked. */
function useLayers(one: Analysis, other: Analysis, alignment: SeenBefore['alignment'] | null) {
  const own = useUpright(one);
  const { url, size, isPreview } = useUpright(other);
  const lower: Layer = { url };
  const upper: Layer = { ...own, transform: layOn(size, own.size, alignment) };
  return { size, lower, upper, isPreview: isPreview || own.isPreview };
}

// Finds in the browser where two aligned pictures differ, as the report does.

/** Maximum number of pixels compared in the part that both show; more would not change what is found. */
const maxPixels = 250_000;

/** @returns boxes in pixels of the lower picture, of this size. Rejects if the browser cannot load or decode one. */
async function findDifferences(lower: Layer, upper: Layer, size: Size): Promise<PixelBox[]> {
  const [below, above] = await Promise.all([lower, upper].map(loadPicture));
  const placed = new DOMMatrix(upper.transform);
  const shared = overlap(size, upper.size!, placed);
  const scale = Math.min(1, Math.sqrt(maxPixels / (shared.width * shared.height)));
  const coarse = Math.min(scale, comparedSide / Math.max(shared.width, shared.height));
  return differingParts(
    draw(above!, placed, shared, scale),
    draw(below!, new DOMMatrix(), shared, coarse),
  ).map(({ left, top, width, height }) => ({
    left: shared.left + left / scale,
    top: shared.top + top / scale,
    width: width / scale,
    height: height / scale,
  }));
}

async function loadPicture({ url }: Layer): Promise<ImageBitmap> {
  // If the cached copy was loaded as an image, it may lack the header that permits reading it.
  const response = await fetch(url, { cache: 'no-store' });
  return createImageBitmap(await response.blob());
}

function overlap(lower: Size, upper: Size, placed: DOMMatrix): PixelBox {
  const one = placed.transformPoint({ x: 0, y: 0 });
  const other = placed.transformPoint({ x: upper.width, y: upper.height });
  const left = Math.max(0, Math.min(one.x, other.x));
  const top = Math.max(0, Math.min(one.y, other.y));
  const width = Math.min(lower.width, Math.max(one.x, other.x)) - left;
  const height = Math.min(lower.height, Math.max(one.y, other.y)) - top;
  return { left, top, width, height };
}

function draw(picture: ImageBitmap, placed: DOMMatrix, shared: PixelBox, scale: number) {
  const { width, height } = scaledSize(shared, scale);
  const context = new OffscreenCanvas(width, height).getContext('2d')!;
  context.imageSmoothingQuality = 'high';
  const moved = new DOMMatrix().scale(scale).translate(-shared.left, -shared.top);
  context.setTransform(moved.multiply(placed));
  context.drawImage(picture, 0, 0);
  const data = new Uint8Array(context.getImageData(0, 0, width, height).data.buffer);
  return { width, height, luma: toLuma(toRgb({ data, channels: 4 }).rgb) };
}
