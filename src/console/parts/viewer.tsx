/** Pictures stacked in one window, with numbered places and a loupe; they zoom and pan together. */

import type { ComponentChildren, RefObject, TargetedPointerEvent } from 'preact';
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Analysis } from '../../contract/analysis.ts';
import { isQuarterTurn, readOrientation, turnsToUpright } from '../../image/orientation.ts';
import type { PixelBox, Size } from '../../image/pixels.ts';
import { readers } from '../../image/readers.ts';
import { wordsIn } from '../../present/wording/catalogue.ts';
import { useConsole } from '../context.ts';
import {
  type Look,
  mapNames,
  moveBy,
  type Point,
  toShares,
  toView,
  type View,
  wholePicture,
  zoomBy,
} from './look.ts';
import { Button } from './pieces.tsx';
import { useThumbnails } from './table.tsx';

export interface Layer {
  readonly url: string;
  /** The layer's own size. Without a transform, it is stretched to the size of the viewer's picture. */
  readonly size?: Size;
  /** CSS that places it on the picture. */
  readonly transform?: string;
  readonly opacity?: number;
  readonly mixBlendMode?: 'difference';
  readonly class?: string;
}

interface Mark {
  readonly number: number;
  /** In pixels of the picture. */
  readonly boxes: readonly PixelBox[];
  readonly label: string;
  readonly isSelected: boolean;
  readonly onSelect: () => void;
}

interface ViewerProps {
  /** Size of the picture on which everything is placed. */
  readonly size: Size;
  /** From bottom to top. */
  readonly layers: readonly Layer[];
  readonly marks?: readonly Mark[];
  readonly look: Look;
  readonly setLook: (change: (was: Look) => Look) => void;
  readonly name: string;
}

export function Viewer({ size, layers, marks = [], look, setLook, name }: ViewerProps) {
  const { analysis } = useConsole();
  const box = useRef<HTMLDivElement>(null);
  const view = toView(look, size, useFrame(box));
  const gestures = useGestures({ box, size, view, look, setLook });
  const helpId = useId();
  const pictures = layers.map((layer, at) => <LayerImage key={at} layer={layer} />);
  return (
    <div
      ref={box}
      class="viewer"
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- keys move the picture
      tabIndex={0}
      role="application"
      aria-label={`${analysis.viewer}: ${name.slice(0, 80)}`}
      aria-describedby={helpId}
      style={{ '--unscaled': 1 / view.scale }}
      {...gestures}
    >
      <span id={helpId} class="hidden">
        {analysis.viewerHelp}
      </span>
      <Plane size={size} view={view}>
        {pictures}
        {marks.map((mark) => (
          <MarkOnPicture key={mark.number} mark={mark} />
        ))}
      </Plane>
      {look.loupe !== null && (
        <Loupe at={look.loupe} view={view} size={size}>
          {pictures}
        </Loupe>
      )}
    </div>
  );
}

/**
 * An address of the picture that browsers display upright, and its size then: the record may contain the stored size.
 * Browsers apply the EXIF orientation of other formats, but not that of WebP. They cannot display HEIC and some others.
 */
export function useUpright(analysis: Analysis) {
  const { storageUrls, format, width, height } = analysis.input;
  const { getUrl: from } = storageUrls;
  const [failed, setFailed] = useState<string | null>(null);
  const preview = useThumbnails(failed === from ? [analysis] : []).get(analysis.id);
  const [shown, setShown] = useState<{ from: string; url: string; size: Size } | null>(null);
  useEffect(() => {
    let turned: string | null = null;
    let isOver = false;
    const load = async () => {
      turned = format === 'webp' ? await turnWebp(from).catch(() => null) : null;
      const image = new Image();
      image.addEventListener('load', () => {
        const size = { width: image.naturalWidth, height: image.naturalHeight };
        if (!isOver && size.width > 0) setShown({ from, url: image.src, size });
      });
      image.addEventListener('error', () => !isOver && setFailed(from));
      image.src = turned ?? from;
    };
    void load();
    return () => {
      isOver = true;
      if (turned !== null) URL.revokeObjectURL(turned);
    };
  }, [from]);
  if (shown?.from === from) return { ...shown, isPreview: false };
  return { url: preview ?? from, size: { width, height }, isPreview: preview !== undefined };
}

/** Null if it is upright as stored. Rejects if its store does not allow reading it. */
async function turnWebp(url: string): Promise<string | null> {
  const file = await (await fetch(url, { cache: 'no-store' })).blob();
  const orientation = readOrientation(readers.webp(new Uint8Array(await file.arrayBuffer())).exif);
  if (orientation === 1) return null;
  const stored = await createImageBitmap(file, { imageOrientation: 'none' });
  const { width, height } = stored;
  const [isMirrored, degrees] = turnsToUpright(orientation);
  const [across, down] = isQuarterTurn(orientation) ? [height, width] : [width, height];
  const canvas = new OffscreenCanvas(across, down);
  const context = canvas.getContext('2d')!;
  context.translate(across / 2, down / 2);
  context.rotate((degrees * Math.PI) / 180);
  if (isMirrored) context.scale(-1, 1);
  context.drawImage(stored, -width / 2, -height / 2);
  return URL.createObjectURL(await canvas.convertToBlob());
}

function useFrame(box: RefObject<HTMLDivElement | null>): Size {
  const [frame, setFrame] = useState<Size>({ width: 0, height: 0 });
  useLayoutEffect(() => {
    const measure = () => {
      const { clientWidth: width, clientHeight: height } = box.current!;
      setFrame({ width, height });
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(box.current!);
    return () => observer.disconnect();
  }, []);
  return frame;
}

interface PlaneProps {
  readonly size: Size;
  readonly view: View;
  readonly children: ComponentChildren;
}

/** Its children are positioned in picture pixels. */
function Plane({ size, view: { x, y, scale }, children }: PlaneProps) {
  const transform = `translate(${x}px, ${y}px) scale(${scale})`;
  return (
    <div class="plane" style={{ ...inPixels(size), transform }}>
      {children}
    </div>
  );
}

/** CSS lengths; preact writes numbers without a unit. */
function inPixels(lengths: Partial<PixelBox>): Record<string, string> {
  return Object.fromEntries(Object.entries(lengths).map(([name, px]) => [name, `${px}px`]));
}

function LayerImage({ layer: { url, size, class: name, ...style } }: { readonly layer: Layer }) {
  const own = { ...inPixels(size ?? {}), ...style };
  return <img src={url} alt="" draggable={false} class={name} style={own} />;
}

function MarkOnPicture({ mark }: { readonly mark: Mark }) {
  const { number, boxes, label, isSelected, onSelect } = mark;
  const [first] = boxes;
  return (
    <div class={isSelected ? 'mark chosen' : 'mark'}>
      {boxes.map((box, at) => (
        <span key={at} class="box" style={inPixels(box)} />
      ))}
      {first !== undefined && (
        <button
          type="button"
          class="number"
          style={{ left: outside(first.left), top: outside(first.top) }}
          aria-label={label}
          aria-pressed={isSelected}
          onPointerDown={(event) => event.stopPropagation()}
          onClick={onSelect}
        >
          {number}
        </button>
      )}
    </div>
  );
}

/** Beside the corner of a frame, where its number hides nothing inside. */
function outside(at: number): string {
  return `max(0px, ${at}px - 22px * var(--unscaled))`;
}

const loupeRadiusPx = 100;
const loupeFactor = 3;

/** A round magnifier over a place in the picture. */
function Loupe({ at, view, size, children }: PlaneProps & { at: Point }) {
  const [x, y] = [at.x * size.width, at.y * size.height];
  const scale = Math.max(1, view.scale * loupeFactor);
  const enlarged = { scale, x: loupeRadiusPx - x * scale, y: loupeRadiusPx - y * scale };
  return (
    <div
      class="loupe"
      style={inPixels({
        left: view.x + x * view.scale - loupeRadiusPx,
        top: view.y + y * view.scale - loupeRadiusPx,
        width: 2 * loupeRadiusPx,
        height: 2 * loupeRadiusPx,
      })}
    >
      <Plane size={size} view={enlarged}>
        {children}
      </Plane>
    </div>
  );
}

const keyStep = 60;
const loupeStep = 12;

interface GesturesProps extends Pick<ViewerProps, 'size' | 'look' | 'setLook'> {
  readonly box: RefObject<HTMLDivElement | null>;
  readonly view: View;
}

/** Handlers for the element `box`: zoom, pan and loupe by wheel, fingers, mouse and keys. */
function useGestures({ box, size, view, look, setLook }: GesturesProps) {
  const inShares = (x: number, y: number): Point => ({
    x: x / view.scale / size.width,
    y: y / view.scale / size.height,
  });
  const zoom = (factor: number, at?: Point) =>
    setLook((was) => zoomBy(was, factor, at && toShares(at, view, size)));
  const pan = (x: number, y: number) => setLook((was) => moveBy(was, 'middle', inShares(x, y)));
  const step = (x: number, y: number) =>
    look.loupe === null
      ? pan(keyStep * x, keyStep * y)
      : setLook((was) => moveBy(was, 'loupe', inShares(loupeStep * x, loupeStep * y)));
  useLayoutEffect(() => {
    const element = box.current!;
    // Preact's own listeners are passive and cannot keep the page from scrolling.
    const wheel = (event: WheelEvent) => {
      if (!event.ctrlKey && !element.contains(document.activeElement)) return;
      event.preventDefault();
      zoom(Math.exp(-event.deltaY / 400), pointIn(element, event));
    };
    element.addEventListener('wheel', wheel, { passive: false });
    return () => element.removeEventListener('wheel', wheel);
  });
  const { onPointerMove, ...fingers } = useFingers(pan, zoom);
  return {
    ...fingers,
    onPointerMove: (event: TargetedPointerEvent<HTMLDivElement>) => {
      if (look.loupe === null) return onPointerMove(event);
      const loupe = toShares(pointIn(event.currentTarget, event), view, size);
      setLook((was) => ({ ...was, loupe }));
    },
    onKeyDown: (event: KeyboardEvent) => {
      const acts: Readonly<Record<string, () => void>> = {
        ArrowLeft: () => step(-1, 0),
        ArrowRight: () => step(1, 0),
        ArrowUp: () => step(0, -1),
        ArrowDown: () => step(0, 1),
        '+': () => zoom(1.25),
        '-': () => zoom(0.8),
        '0': () => setLook((was) => ({ ...was, ...wholePicture })),
        l: () => setLook(toggleLoupe),
      };
      const act = acts[event.key];
      if (act === undefined || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      act();
    },
  };
}

function toggleLoupe(look: Look): Look {
  return { ...look, loupe: look.loupe === null ? look.middle : null };
}

/** One finger or the mouse moves the picture; two fingers zoom it. */
function useFingers(pan: (x: number, y: number) => void, zoom: (by: number, at: Point) => void) {
  const { current: fingers } = useRef(new Map<number, Point>());
  const release = ({ pointerId }: PointerEvent) => void fingers.delete(pointerId);
  return {
    onPointerDown: (event: TargetedPointerEvent<HTMLDivElement>) => {
      event.currentTarget.setPointerCapture(event.pointerId);
      fingers.set(event.pointerId, pointIn(event.currentTarget, event));
    },
    onPointerMove: (event: TargetedPointerEvent<HTMLDivElement>) => {
      const before = fingers.get(event.pointerId);
      if (before === undefined) return;
      const now = pointIn(event.currentTarget, event);
      const [one, other] = [...fingers.values()];
      fingers.set(event.pointerId, now);
      if (other === undefined) return pan(before.x - now.x, before.y - now.y);
      const [first, second] = [...fingers.values()];
      const middle = { x: (first!.x + second!.x) / 2, y: (first!.y + second!.y) / 2 };
      zoom(distance(first!, second!) / Math.max(1, distance(one!, other)), middle);
    },
    onPointerUp: release,
    onPointerCancel: release,
  };
}

function pointIn(element: Element, { clientX, clientY }: MouseEvent): Point {
  const { left, top } = element.getBoundingClientRect();
  return { x: clientX - left, y: clientY - top };
}

function distance(one: Point, other: Point): number {
  return Math.hypot(one.x - other.x, one.y - other.y);
}

export function ViewerControls(
  props: Pick<ViewerProps, 'look' | 'setLook'> & { hasMaps: boolean },
) {
  const { look, setLook, hasMaps } = props;
  const { analysis, language } = useConsole();
  const opacityId = useId();
  const zoom = (factor: number) => setLook((was) => zoomBy(was, factor));
  const change = (next: Partial<Look>) => setLook((was) => ({ ...was, ...next }));
  return (
    <div class="row">
      {hasMaps && (
        <select
          class="little"
          aria-label={analysis.map}
          value={look.map ?? ''}
          onChange={({ currentTarget: { value } }) =>
            change({ map: mapNames.find((name) => name === value) ?? null })
          }
        >
          <option value="">{analysis.noMap}</option>
          {mapNames.map((name) => (
            <option key={name} value={name}>
              {analysis.heatmapFile(wordsIn(language).labels.maps[name])}
            </option>
          ))}
        </select>
      )}
      {hasMaps && look.map !== null && (
        <>
          <label for={opacityId} class="small soft">
            {analysis.opacity}
          </label>
          <input
            id={opacityId}
            type="range"
            min={0}
            max={100}
            value={Math.round(look.opacity * 100)}
            onInput={({ currentTarget }) => change({ opacity: Number(currentTarget.value) / 100 })}
          />
        </>
      )}
      <Button kind="little" aria-pressed={look.loupe !== null} onClick={() => setLook(toggleLoupe)}>
        {analysis.loupe}
      </Button>
      <Button kind="little" aria-label={analysis.zoomOut} onClick={() => zoom(0.8)}>
        −
      </Button>
      <Button kind="little" aria-label={analysis.zoomIn} onClick={() => zoom(1.25)}>
        +
      </Button>
      <Button kind="little" onClick={() => change(wholePicture)}>
        {analysis.fit}
      </Button>
    </div>
  );
}
