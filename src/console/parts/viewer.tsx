/** A picture with its heatmaps on top: opacity, swipe, grid, and zoom and pan in step. */

import type { RefObject } from 'preact';
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { HeatmapUrls } from '../../contract/analysis.ts';
import { useConsole } from '../context.ts';
import { fit, keepInside, type Size, type View, zoomAt } from './view.ts';
import { Button } from './pieces.tsx';

export const mapNames = ['fake', 'real', 'compression', 'anomaly'] as const;
export type MapName = (typeof mapNames)[number];

/** What two viewers side by side share. */
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
  const clipPath = look.swipe === null ? 'none' : `inset(0 0 0 ${Math.max(0, cut)}px)`;
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
          <img src={mapUrl} alt="" draggable={false} style={{ opacity: look.opacity, clipPath }} />
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
  useEffect(() => {
    const element = box.current!;
    // Preact's own listeners are passive, and could not keep the page from scrolling.
    const wheel = (event: WheelEvent) => {
      if (!event.ctrlKey && !element.contains(document.activeElement)) return;
      event.preventDefault();
      zoom(Math.exp(-event.deltaY / 400), pointIn(element, event));
    };
    element.addEventListener('wheel', wheel, { passive: false });
    return () => element.removeEventListener('wheel', wheel);
  }, []);

  return {
    ...useFingers(box, { move, zoom }),
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

/** One finger or the mouse moves the picture, two zoom it. */
function useFingers(
  box: RefObject<HTMLDivElement | null>,
  { move, zoom }: { move: (x: number, y: number) => void; zoom: (by: number, at: Point) => void },
) {
  const [isDragging, setDragging] = useState(false);
  const { current: fingers } = useRef(new Map<number, Point>());
  const release = ({ pointerId }: PointerEvent) => {
    fingers.delete(pointerId);
    setDragging(fingers.size > 0);
  };
  return {
    isDragging,
    onPointerDown: (event: PointerEvent) => {
      box.current!.setPointerCapture(event.pointerId);
      fingers.set(event.pointerId, pointIn(box.current!, event));
      setDragging(true);
    },
    onPointerMove: (event: PointerEvent) => {
      const before = fingers.get(event.pointerId);
      if (before === undefined) return;
      const now = pointIn(box.current!, event);
      const [one, other] = [...fingers.values()];
      fingers.set(event.pointerId, now);
      if (other === undefined) return move(now.x - before.x, now.y - before.y);
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
  const change = (next: Partial<Look>) => setLook({ ...look, ...next });
  const zoom = (factor: number) =>
    change({ zoom: Math.min(24, Math.max(0.5, look.zoom * factor)) });
  return (
    <div class="stack">
      {hasMaps && (
        <div class="row" role="group" aria-label={analysis.map}>
          {[...mapNames, null].map((map) => (
            <Button
              key={map}
              kind="little"
              aria-pressed={look.map === map}
              onClick={() => change({ map })}
            >
              {map === null ? analysis.noMap : analysis.maps[map]}
            </Button>
          ))}
        </div>
      )}
      <div class="row">
        {hasMaps && <MapControls look={look} change={change} />}
        <Button
          kind="little"
          aria-pressed={look.hasGrid}
          onClick={() => change({ hasGrid: !look.hasGrid })}
        >
          {analysis.grid}
        </Button>
        <Button kind="little" aria-label={analysis.zoomOut} onClick={() => zoom(0.8)}>
          −
        </Button>
        <Button kind="little" aria-label={analysis.zoomIn} onClick={() => zoom(1.25)}>
          +
        </Button>
        <Button kind="little" onClick={() => change({ zoom: 1, middle: firstLook.middle })}>
          {analysis.fit}
        </Button>
      </div>
    </div>
  );
}

/** How much of the map is seen, and up to where. */
function MapControls({
  look: { opacity, swipe },
  change,
}: {
  readonly look: Look;
  readonly change: (next: Partial<Look>) => void;
}) {
  const { analysis } = useConsole().words;
  const id = useId();
  return (
    <>
      <label for={id} class="small soft">
        {analysis.opacity}
      </label>
      <Slider id={id} steps={100} value={opacity} onValue={(value) => change({ opacity: value })} />
      <Button
        kind="little"
        aria-pressed={swipe !== null}
        onClick={() => change({ swipe: swipe === null ? 0.5 : null })}
      >
        {analysis.swipe}
      </Button>
      {swipe !== null && (
        <Slider
          aria-label={analysis.compareSwipe}
          steps={1000}
          value={swipe}
          onValue={(value) => change({ swipe: value })}
        />
      )}
    </>
  );
}

/** @param value - 0..1. */
function Slider({
  steps,
  value,
  onValue,
  ...attributes
}: {
  readonly steps: number;
  readonly value: number;
  readonly onValue: (value: number) => void;
  readonly id?: string;
  readonly 'aria-label'?: string;
}) {
  return (
    <input
      type="range"
      min={0}
      max={steps}
      value={Math.round(value * steps)}
      onInput={({ currentTarget }) => onValue(Number(currentTarget.value) / steps)}
      {...attributes}
    />
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
