/** A picture with its heatmaps on top: opacity, swipe, grid, and zoom and pan in step. */

import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { HeatmapUrls } from '../../contract/analysis.ts';
import { useConsole } from '../context.ts';
import { fit, keepInside, type Size, type View, zoomAt } from './view.ts';

export const mapNames = ['fake', 'real', 'compression', 'anomaly'] as const;
export type MapName = (typeof mapNames)[number];

/** What two viewers share when they stand side by side. */
export interface Look {
  readonly map: MapName | null;
  readonly opacity: number;
  /** 0..1 from the left: the map is shown right of it; null without a swipe. */
  readonly swipe: number | null;
  readonly hasGrid: boolean;
  /** As a share of fitting, and of the middle of the window in the picture: it holds for pictures of other sizes too. */
  readonly zoom: number;
  readonly middle: { readonly x: number; readonly y: number };
}

export const firstLook: Look = {
  map: 'fake',
  opacity: 0.6,
  swipe: null,
  hasGrid: false,
  zoom: 1,
  middle: { x: 0.5, y: 0.5 },
};

interface ViewerProps {
  readonly size: Size;
  readonly pictureUrl: string;
  readonly heatmaps: HeatmapUrls | null;
  readonly look: Look;
  readonly setLook: (look: Look) => void;
  readonly name: string;
}

export function Viewer({ size, pictureUrl, heatmaps, look, setLook, name }: ViewerProps) {
  const { analysis } = useConsole().words;
  const box = useRef<HTMLDivElement>(null);
  const [frame, setFrame] = useState<Size>({ width: 0, height: 0 });
  const [real, setReal] = useState<Size>(size);
  const [isDragging, setDragging] = useState(false);
  const helpId = useId();

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

  const view = viewOf(look, real, frame);
  const latest = useRef({ view, look, real, frame });
  latest.current = { view, look, real, frame };
  const show = (next: View) => {
    const { look: now, real: picture, frame: room } = latest.current;
    setLook({ ...now, ...placeOf(keepInside(next, picture, room), picture, room) });
  };
  const zoom = (factor: number, at?: { readonly x: number; readonly y: number }) => {
    const { view: now, real: picture, frame: room } = latest.current;
    const middle = { x: room.width / 2, y: room.height / 2 };
    show(zoomAt(now, { factor, at: at ?? middle, least: fit(picture, room).scale / 2 }));
  };
  const move = (x: number, y: number) => {
    const { view: now } = latest.current;
    show({ ...now, x: now.x + x, y: now.y + y });
  };

  useEffect(() => {
    const element = box.current!;
    // Preact's own listeners are passive, and could not keep the page from scrolling.
    const wheel = (event: WheelEvent) => {
      if (!event.ctrlKey && !element.contains(document.activeElement)) return;
      event.preventDefault();
      const { left, top } = element.getBoundingClientRect();
      zoom(Math.exp(-event.deltaY / 400), { x: event.clientX - left, y: event.clientY - top });
    };
    element.addEventListener('wheel', wheel, { passive: false });
    return () => element.removeEventListener('wheel', wheel);
  }, []);

  const fingers = useRef(new Map<number, { readonly x: number; readonly y: number }>());
  const down = (event: PointerEvent) => {
    box.current!.setPointerCapture(event.pointerId);
    fingers.current.set(event.pointerId, { x: event.clientX, y: event.clientY });
    setDragging(true);
  };
  const drag = (event: PointerEvent) => {
    const before = fingers.current.get(event.pointerId);
    if (before === undefined) return;
    const now = { x: event.clientX, y: event.clientY };
    const [one, other] = [...fingers.current.values()];
    fingers.current.set(event.pointerId, now);
    if (other === undefined) return move(now.x - before.x, now.y - before.y);
    const [first, second] = [...fingers.current.values()];
    const { left, top } = box.current!.getBoundingClientRect();
    const at = { x: (first!.x + second!.x) / 2 - left, y: (first!.y + second!.y) / 2 - top };
    zoom(distance(first!, second!) / Math.max(1, distance(one!, other)), at);
  };
  const up = (event: PointerEvent) => {
    fingers.current.delete(event.pointerId);
    setDragging(fingers.current.size > 0);
  };
  const step = 60;
  const key = (event: KeyboardEvent) => {
    const acts: Readonly<Record<string, () => void>> = {
      ArrowLeft: () => move(step, 0),
      ArrowRight: () => move(-step, 0),
      ArrowUp: () => move(0, step),
      ArrowDown: () => move(0, -step),
      '+': () => zoom(1.25),
      '-': () => zoom(0.8),
      '0': () => setLook({ ...look, zoom: 1, middle: firstLook.middle }),
    };
    const act = acts[event.key];
    if (act === undefined || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    act();
  };

  const mapUrl = look.map === null || heatmaps === null ? null : urlOf(heatmaps, look.map);
  // In pixels of the picture: the line of the swipe stands still in the window.
  const cut = look.swipe === null ? 0 : (look.swipe * frame.width - view.x) / view.scale;
  const cell = gridStep(real);
  return (
    <div
      ref={box}
      class={isDragging ? 'viewer dragging' : 'viewer'}
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- keys move the picture
      tabIndex={0}
      role="application"
      aria-label={`${analysis.viewer}: ${name.slice(0, 80)}`}
      aria-describedby={helpId}
      onPointerDown={down}
      onPointerMove={drag}
      onPointerUp={up}
      onPointerCancel={up}
      onKeyDown={key}
    >
      <span id={helpId} class="hidden">
        {analysis.viewerHelp}
      </span>
      <div
        class="plane"
        style={{
          width: `${real.width}px`,
          height: `${real.height}px`,
          transform: `translate(${view.x}px, ${view.y}px) scale(${view.scale})`,
        }}
      >
        <img
          src={pictureUrl}
          alt=""
          draggable={false}
          onLoad={({ currentTarget: { naturalWidth: width, naturalHeight: height } }) => {
            // Upright, which the record need not be.
            if (width > 0) setReal({ width, height });
          }}
        />
        {mapUrl !== null && (
          <img
            src={mapUrl}
            alt=""
            draggable={false}
            style={{
              opacity: String(look.opacity),
              clipPath: look.swipe === null ? 'none' : `inset(0 0 0 ${Math.max(0, cut)}px)`,
            }}
          />
        )}
        {look.hasGrid && (
          <svg viewBox={`0 0 ${real.width} ${real.height}`} aria-hidden="true">
            <path
              d={gridPath(real, cell)}
              fill="none"
              stroke-width={1 / view.scale}
              opacity="0.55"
            />
          </svg>
        )}
      </div>
      {look.swipe !== null && (
        <div class="swipeline" style={{ left: `${look.swipe * frame.width}px` }} />
      )}
    </div>
  );
}

export function ViewerControls({
  look,
  setLook,
  hasMaps,
}: Pick<ViewerProps, 'look' | 'setLook'> & { readonly hasMaps: boolean }) {
  const { analysis } = useConsole().words;
  const [opacityId, swipeId] = [useId(), useId()];
  const zoom = (factor: number) =>
    setLook({ ...look, zoom: Math.min(24, Math.max(0.5, look.zoom * factor)) });
  return (
    <div class="stack">
      <div class="row">
        {hasMaps && (
          <div class="row" role="group" aria-label={analysis.map}>
            {[...mapNames, null].map((map) => (
              <button
                key={map}
                type="button"
                class="button little"
                aria-pressed={look.map === map}
                onClick={() => setLook({ ...look, map })}
              >
                {map === null ? analysis.noMap : analysis.maps[map]}
              </button>
            ))}
          </div>
        )}
      </div>
      <div class="row">
        {hasMaps && (
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
              onInput={({ currentTarget }) =>
                setLook({ ...look, opacity: Number(currentTarget.value) / 100 })
              }
            />
            <button
              type="button"
              class="button little"
              aria-pressed={look.swipe !== null}
              onClick={() => setLook({ ...look, swipe: look.swipe === null ? 0.5 : null })}
            >
              {analysis.swipe}
            </button>
            {look.swipe !== null && (
              <>
                <label for={swipeId} class="hidden">
                  {analysis.compareSwipe}
                </label>
                <input
                  id={swipeId}
                  type="range"
                  min={0}
                  max={1000}
                  value={Math.round(look.swipe * 1000)}
                  onInput={({ currentTarget }) =>
                    setLook({ ...look, swipe: Number(currentTarget.value) / 1000 })
                  }
                />
              </>
            )}
          </>
        )}
        <button
          type="button"
          class="button little"
          aria-pressed={look.hasGrid}
          onClick={() => setLook({ ...look, hasGrid: !look.hasGrid })}
        >
          {analysis.grid}
        </button>
        <button
          type="button"
          class="button little"
          aria-label={analysis.zoomOut}
          onClick={() => zoom(0.8)}
        >
          −
        </button>
        <button
          type="button"
          class="button little"
          aria-label={analysis.zoomIn}
          onClick={() => zoom(1.25)}
        >
          +
        </button>
        <button
          type="button"
          class="button little"
          onClick={() => setLook({ ...look, zoom: 1, middle: firstLook.middle })}
        >
          {analysis.fit}
        </button>
      </div>
    </div>
  );
}

function viewOf({ zoom, middle }: Look, picture: Size, frame: Size): View {
  const scale = fit(picture, frame).scale * zoom || 1;
  return {
    scale,
    x: frame.width / 2 - middle.x * picture.width * scale,
    y: frame.height / 2 - middle.y * picture.height * scale,
  };
}

function placeOf(view: View, picture: Size, frame: Size): Pick<Look, 'zoom' | 'middle'> {
  return {
    zoom: view.scale / fit(picture, frame).scale,
    middle: {
      x: (frame.width / 2 - view.x) / view.scale / picture.width,
      y: (frame.height / 2 - view.y) / view.scale / picture.height,
    },
  };
}

function distance(
  one: { readonly x: number; readonly y: number },
  other: { readonly x: number; readonly y: number },
): number {
  return Math.hypot(one.x - other.x, one.y - other.y);
}

export function urlOf(heatmaps: HeatmapUrls, map: MapName): string {
  return heatmaps[`${map}HeatmapStorageUrls`].getUrl;
}

/** A step that people count in, about a tenth of the longer side. */
export function gridStep({ width, height }: Size): number {
  const wanted = Math.max(width, height) / 10;
  return [8, 16, 32, 64, 128, 256, 512].find((step) => step >= wanted) ?? 512;
}

function gridPath({ width, height }: Size, step: number): string {
  const parts: string[] = [];
  for (let x = step; x < width; x += step) parts.push(`M${x} 0V${height}`);
  for (let y = step; y < height; y += step) parts.push(`M0 ${y}H${width}`);
  return parts.join('');
}
