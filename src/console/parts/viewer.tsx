/** A picture with its heatmaps on top: opacity, swipe, grid, and zoom and pan in step. */

import type { RefObject } from 'preact';
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { HeatmapUrls } from '../../contract/analysis.ts';
import { useConsole } from '../context.ts';
import { fit, keepInside, type Size, type View, zoomAt } from './view.ts';
import { Button } from './pieces.tsx';

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
  readonly middle: Point;
}

export const firstLook: Look = {
  map: 'fake',
  opacity: 0.6,
  swipe: null,
  hasGrid: false,
  zoom: 1,
  middle: { x: 0.5, y: 0.5 },
};

interface Point {
  readonly x: number;
  readonly y: number;
}

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
  const frame = useFrame(box);
  const [picture, setPicture] = useState<Size>(size);
  const { isDragging, ...gestures } = useGestures({ box, frame, picture, look, setLook });
  const helpId = useId();
  const view = toView(look, picture, frame);
  const mapUrl = look.map === null || heatmaps === null ? null : heatmapUrl(heatmaps, look.map);
  // In pixels of the picture: the line of the swipe keeps its place in the window.
  const cut = look.swipe === null ? 0 : (look.swipe * frame.width - view.x) / view.scale;
  return (
    <div
      ref={box}
      class={isDragging ? 'viewer dragging' : 'viewer'}
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- keys move the picture
      tabIndex={0}
      role="application"
      aria-label={`${analysis.viewer}: ${name.slice(0, 80)}`}
      aria-describedby={helpId}
      {...gestures}
    >
      <span id={helpId} class="hidden">
        {analysis.viewerHelp}
      </span>
      <div
        class="plane"
        style={{
          width: `${picture.width}px`,
          height: `${picture.height}px`,
          transform: `translate(${view.x}px, ${view.y}px) scale(${view.scale})`,
        }}
      >
        <img
          src={pictureUrl}
          alt=""
          draggable={false}
          onLoad={({ currentTarget: { naturalWidth: width, naturalHeight: height } }) => {
            // The browser applies the EXIF orientation; the record may hold the stored size.
            if (width > 0) setPicture({ width, height });
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
        {look.hasGrid && <Grid picture={picture} lineWidth={1 / view.scale} />}
      </div>
      {look.swipe !== null && (
        <div class="swipeline" style={{ left: `${look.swipe * frame.width}px` }} />
      )}
    </div>
  );
}

/** Size of the element, also after the window changed. */
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

const keyStep = 60;

/** Zoom and pan by wheel, fingers, mouse and keys: handlers for the element `box`. */
function useGestures(given: {
  readonly box: RefObject<HTMLDivElement | null>;
  readonly frame: Size;
  readonly picture: Size;
  readonly look: Look;
  readonly setLook: (look: Look) => void;
}) {
  const { box } = given;
  const latest = useRef(given);
  latest.current = given;
  const [isDragging, setDragging] = useState(false);
  const fingers = useRef(new Map<number, Point>());

  const change = (next: (view: View, room: Size, least: number) => View) => {
    const { look, picture, frame, setLook } = latest.current;
    const view = next(toView(look, picture, frame), frame, fit(picture, frame).scale / 2);
    setLook({ ...look, ...toPlace(keepInside(view, picture, frame), picture, frame) });
  };
  const zoom = (factor: number, at?: Point) =>
    change((view, room, least) =>
      zoomAt(view, { factor, at: at ?? { x: room.width / 2, y: room.height / 2 }, least }),
    );
  const move = (x: number, y: number) =>
    change((view) => ({ ...view, x: view.x + x, y: view.y + y }));
  const inBox = ({ x, y }: Point): Point => {
    const { left, top } = box.current!.getBoundingClientRect();
    return { x: x - left, y: y - top };
  };

  useEffect(() => {
    const element = box.current!;
    // Preact's own listeners are passive, and could not keep the page from scrolling.
    const wheel = (event: WheelEvent) => {
      if (!event.ctrlKey && !element.contains(document.activeElement)) return;
      event.preventDefault();
      zoom(Math.exp(-event.deltaY / 400), inBox({ x: event.clientX, y: event.clientY }));
    };
    element.addEventListener('wheel', wheel, { passive: false });
    return () => element.removeEventListener('wheel', wheel);
  }, []);

  const release = (event: PointerEvent) => {
    fingers.current.delete(event.pointerId);
    setDragging(fingers.current.size > 0);
  };
  return {
    isDragging,
    onPointerDown: (event: PointerEvent) => {
      box.current!.setPointerCapture(event.pointerId);
      fingers.current.set(event.pointerId, { x: event.clientX, y: event.clientY });
      setDragging(true);
    },
    onPointerMove: (event: PointerEvent) => {
      const before = fingers.current.get(event.pointerId);
      if (before === undefined) return;
      const now = { x: event.clientX, y: event.clientY };
      const [one, other] = [...fingers.current.values()];
      fingers.current.set(event.pointerId, now);
      if (other === undefined) return move(now.x - before.x, now.y - before.y);
      const [first, second] = [...fingers.current.values()];
      const middle = { x: (first!.x + second!.x) / 2, y: (first!.y + second!.y) / 2 };
      zoom(distance(first!, second!) / Math.max(1, distance(one!, other)), inBox(middle));
    },
    onPointerUp: release,
    onPointerCancel: release,
    onKeyDown: (event: KeyboardEvent) => {
      const { look, setLook } = latest.current;
      const acts: Readonly<Record<string, () => void>> = {
        ArrowLeft: () => move(keyStep, 0),
        ArrowRight: () => move(-keyStep, 0),
        ArrowUp: () => move(0, keyStep),
        ArrowDown: () => move(0, -keyStep),
        '+': () => zoom(1.25),
        '-': () => zoom(0.8),
        '0': () => setLook({ ...look, zoom: 1, middle: firstLook.middle }),
      };
      const act = acts[event.key];
      if (act === undefined || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      act();
    },
  };
}

function Grid({ picture, lineWidth }: { readonly picture: Size; readonly lineWidth: number }) {
  const { width, height } = picture;
  const step = gridStep(picture);
  const lines: string[] = [];
  for (let x = step; x < width; x += step) lines.push(`M${x} 0V${height}`);
  for (let y = step; y < height; y += step) lines.push(`M0 ${y}H${width}`);
  return (
    <svg viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
      <path d={lines.join('')} fill="none" stroke-width={lineWidth} opacity="0.55" />
    </svg>
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
            <Button
              kind="little"
              aria-pressed={look.swipe !== null}
              onClick={() => setLook({ ...look, swipe: look.swipe === null ? 0.5 : null })}
            >
              {analysis.swipe}
            </Button>
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
        <Button
          kind="little"
          aria-pressed={look.hasGrid}
          onClick={() => setLook({ ...look, hasGrid: !look.hasGrid })}
        >
          {analysis.grid}
        </Button>
        <Button kind="little" aria-label={analysis.zoomOut} onClick={() => zoom(0.8)}>
          −
        </Button>
        <Button kind="little" aria-label={analysis.zoomIn} onClick={() => zoom(1.25)}>
          +
        </Button>
        <Button
          kind="little"
          onClick={() => setLook({ ...look, zoom: 1, middle: firstLook.middle })}
        >
          {analysis.fit}
        </Button>
      </div>
    </div>
  );
}

function toView({ zoom, middle }: Look, picture: Size, frame: Size): View {
  const scale = fit(picture, frame).scale * zoom || 1;
  return {
    scale,
    x: frame.width / 2 - middle.x * picture.width * scale,
    y: frame.height / 2 - middle.y * picture.height * scale,
  };
}

function toPlace(view: View, picture: Size, frame: Size): Pick<Look, 'zoom' | 'middle'> {
  return {
    zoom: view.scale / fit(picture, frame).scale,
    middle: {
      x: (frame.width / 2 - view.x) / view.scale / picture.width,
      y: (frame.height / 2 - view.y) / view.scale / picture.height,
    },
  };
}

function distance(one: Point, other: Point): number {
  return Math.hypot(one.x - other.x, one.y - other.y);
}

export function heatmapUrl(heatmaps: HeatmapUrls, map: MapName): string {
  return heatmaps[`${map}HeatmapStorageUrls`].getUrl;
}

/** A step that people count in, about a tenth of the longer side. */
export function gridStep({ width, height }: Size): number {
  const wanted = Math.max(width, height) / 10;
  return [8, 16, 32, 64, 128, 256, 512].find((step) => step >= wanted) ?? 512;
}
