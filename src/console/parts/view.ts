/** Zoom and pan of stacked pictures, in the coordinates of the picture. */

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
  {
    factor,
    at,
    least,
  }: {
    readonly factor: number;
    readonly at: { readonly x: number; readonly y: number };
    readonly least: number;
  },
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
