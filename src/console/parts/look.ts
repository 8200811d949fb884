/** How pictures are viewed: overlays, zoom and position. Viewers side by side share this state. */

import type { HeatmapUrls } from '../../contract/analysis.ts';
import type { SeenBefore } from '../../contract/seen-before.ts';

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
  /**
   * Zoom relative to the fitted size, and the centre of the window as fractions of the picture, so that both are valid
   * for any window size.
   */
  readonly zoom: number;
  readonly middle: Point;
}

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

export function toPlace(view: View, picture: Size, frame: Size): Pick<Look, 'zoom' | 'middle'> {
  return {
    zoom: view.scale / fit(picture, frame).scale,
    middle: toShares({ x: frame.width / 2, y: frame.height / 2 }, view, picture),
  };
}

/** The place in the picture shown at a point of the window. */
export function toShares({ x, y }: Point, view: View, { width, height }: Size): Point {
  return { x: (x - view.x) / view.scale / width, y: (y - view.y) / view.scale / height };
}

/**
 * The CSS transform that lays one picture on another, both in their own pixels.
 *
 * @param alignment - how the two match; null centres the picture at the largest size that fits.
 */
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

// Zoom and pan of stacked pictures, in the coordinates of the picture.

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** Position of the picture's corner in the window, and window pixels per picture pixel. */
export interface View {
  readonly x: number;
  readonly y: number;
  readonly scale: number;
}

/** The whole picture, centred. */
export function fit(picture: Size, frame: Size): View {
  const scale = Math.min(frame.width / picture.width, frame.height / picture.height);
  return {
    scale,
    x: (frame.width - picture.width * scale) / 2,
    y: (frame.height - picture.height * scale) / 2,
  };
}

const largestScale = 32;

/** Zooms around a point of the window, which stays in place. */
export function zoomAt(
  view: View,
  { factor, at, least }: { readonly factor: number; readonly at: Point; readonly least: number },
): View {
  const scale = Math.min(largestScale, Math.max(least, view.scale * factor));
  const by = scale / view.scale;
  return { scale, x: at.x - (at.x - view.x) * by, y: at.y - (at.y - view.y) * by };
}

/** Keeps a quarter of the window covered by the picture, so that it cannot be moved out of sight. */
export function keepInside(view: View, picture: Size, frame: Size): View {
  return {
    scale: view.scale,
    x: bound(view.x, picture.width * view.scale, frame.width),
    y: bound(view.y, picture.height * view.scale, frame.height),
  };
}

function bound(offset: number, length: number, room: number): number {
  return Math.min(room * 0.75, Math.max(room * 0.25 - length, offset));
}
