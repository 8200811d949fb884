/** Zoom, pan and loupe by wheel, fingers, mouse and keys. */

import type { RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { type Look, type Point, toPlace, toShares, toView, wholePicture } from './look.ts';
import { fit, keepInside, type Size, type View, zoomAt } from './view.ts';

const keyStep = 60;
const loupeStep = 12;

/** Handlers for the element `box`. */
export function useGestures(given: {
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
  const step = (x: number, y: number) => {
    const { look, setLook, picture } = latest.current;
    if (look.loupe === null) return move(-keyStep * x, -keyStep * y);
    const { width, height } = picture;
    const { scale } = viewNow();
    const loupe = {
      x: look.loupe.x + (x * loupeStep) / (scale * width),
      y: look.loupe.y + (y * loupeStep) / (scale * height),
    };
    setLook({ ...look, loupe: { x: insideShare(loupe.x), y: insideShare(loupe.y) } });
  };
  const viewNow = () => {
    const { look, picture, frame } = latest.current;
    return toView(look, picture, frame);
  };
  useEffect(() => {
    const element = box.current!;
    // Preact's own listeners are passive and cannot keep the page from scrolling.
    const wheel = (event: WheelEvent) => {
      if (!event.ctrlKey && !element.contains(document.activeElement)) return;
      event.preventDefault();
      zoom(Math.exp(-event.deltaY / 400), pointIn(element, event));
    };
    element.addEventListener('wheel', wheel, { passive: false });
    return () => element.removeEventListener('wheel', wheel);
  }, []);

  const { onPointerMove, ...fingers } = useFingers(box, { move, zoom });
  return {
    ...fingers,
    onPointerMove: (event: PointerEvent) => {
      const { look, setLook, picture } = latest.current;
      if (look.loupe === null) return onPointerMove(event);
      setLook({ ...look, loupe: toShares(pointIn(box.current!, event), viewNow(), picture) });
    },
    onKeyDown: (event: KeyboardEvent) => {
      const { look, setLook } = latest.current;
      const acts: Readonly<Record<string, () => void>> = {
        ArrowLeft: () => step(-1, 0),
        ArrowRight: () => step(1, 0),
        ArrowUp: () => step(0, -1),
        ArrowDown: () => step(0, 1),
        '+': () => zoom(1.25),
        '-': () => zoom(0.8),
        '0': () => setLook({ ...look, ...wholePicture }),
        l: () => setLook({ ...look, loupe: look.loupe === null ? look.middle : null }),
      };
      const act = acts[event.key];
      if (act === undefined || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      act();
    },
  };
}

function insideShare(value: number): number {
  return Math.min(1, Math.max(0, value));
}

/** One finger or the mouse moves the picture; two fingers zoom it. */
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

function distance(one: Point, other: Point): number {
  return Math.hypot(one.x - other.x, one.y - other.y);
}
