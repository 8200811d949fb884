/** How pictures are viewed: overlays, zoom and position. Viewers side by side share this state. */

import type { HeatmapUrls } from '../../contract/analysis.ts';
import type { SeenBefore } from '../../contract/seen-before.ts';
import type { Size } from '../../image/pixels.ts';

export const mapNames = ['fake', 'real', 'compression', 'anomaly'] as const;
export type MapName = (typeof mapNames)[number];

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface Look {
  readonly map: MapName | null;
  readonly opacity: number;
  /** What the loupe shows, as fractions of the picture; null without a loupe. */
  readonly loupe: Point | null;
  /** Zoom relative to the fitted size, and the window's centre as fractions of the picture: valid for any window. */
  readonly zoom: number;
  readonly middle: Point;
}

/** At this zoom, single pixels of the largest pictures are visible. */
const largestZoom = 100;

export const wholePicture: Pick<Look, 'zoom' | 'middle'> = { zoom: 1, middle: { x: 0.5, y: 0.5 } };

export const firstLook: Look = { map: null, opacity: 0.6, loupe: null, ...wholePicture };

export function toView({ zoom, middle }: Look, picture: Size, frame: Size): View {
  const scale = fit(picture, frame).scale * zoom || 1;
  return {
    scale,
    x: frame.width / 2 - middle.x * picture.width * scale,
    y: frame.height / 2 - middle.y * picture.height * scale,
  };
}

/** Zooms around a place in the picture, by default the centre of the window, which stays where it is. */
export function zoomBy(look: Look, factor: number, at: Point = look.middle): Look {
  const zoom = Math.min(largestZoom, Math.max(0.5, look.zoom * factor));
  const by = look.zoom / zoom;
  const [x, y] = [look.middle.x - at.x, look.middle.y - at.y];
  return { ...look, zoom, middle: onPicture({ x: at.x + x * by, y: at.y + y * by }) };
}

/** Moves the window or the loupe over the picture, by fractions of it. */
export function moveBy(look: Look, what: 'middle' | 'loupe', { x, y }: Point): Look {
  const place = look[what];
  return place === null ? look : { ...look, [what]: onPicture({ x: place.x + x, y: place.y + y }) };
}

/** The centre of the window stays on the picture, so that it cannot be moved out of sight. */
function onPicture({ x, y }: Point): Point {
  return { x: Math.min(1, Math.max(0, x)), y: Math.min(1, Math.max(0, y)) };
}

/** The place in the picture shown at a point of the window. */
export function toShares({ x, y }: Point, view: View, { width, height }: Size): Point {
  return { x: (x - view.x) / view.scale / width, y: (y - view.y) / view.scale / height };
}

/** The CSS transform that lays one picture on another. @param alignment - null centres it, as large as fits. */
export function layOn(other: Size, one: Size, alignment: SeenBefore['alignment'] | null): string {
  if (alignment === null) {
    const { x, y, scale } = fit(one, other);
    return `translate(${x}px, ${y}px) scale(${scale})`;
  }
  // As a fraction of each picture's longer side.
  const longer = Math.max(other.width, other.height);
  const scale = (alignment.scale * longer) / Math.max(one.width, one.height);
  const x = alignment.left * longer + (alignment.isMirrored ? one.width * scale : 0);
  const turned = alignment.isMirrored ? -scale : scale;
  return `translate(${x}px, ${alignment.top * longer}px) scale(${turned}, ${scale})`;
}

export function heatmapUrl(heatmaps: HeatmapUrls, map: MapName): string {
  return heatmaps[`${map}HeatmapStorageUrls`].getUrl;
}

/** Position of the picture's corner in the window, and window pixels per picture pixel. */
export interface View extends Point {
  readonly scale: number;
}

/** The whole picture, centred. */
function fit(picture: Size, frame: Size): View {
  const scale = Math.min(frame.width / picture.width, frame.height / picture.height);
  return {
    scale,
    x: (frame.width - picture.width * scale) / 2,
    y: (frame.height - picture.height * scale) / 2,
  };
}
