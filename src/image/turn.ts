/** Turns pictures from how their pixels are stored to how a viewer shows them, and back. */

import type { Sharp } from 'sharp';

/** EXIF 2.32, tag 0x0112: how the stored picture is turned and mirrored to stand upright. sharp mirrors before it turns. */
export function turnUpright(picture: Sharp, orientation: number): Sharp {
  switch (orientation) {
    case 2:
      return picture.flop();
    case 3:
      return picture.rotate(180);
    case 4:
      return picture.flip();
    case 5:
      return picture.flop().rotate(270);
    case 6:
      return picture.rotate(90);
    case 7:
      return picture.flop().rotate(90);
    case 8:
      return picture.rotate(270);
    default:
      return picture;
  }
}

/** Undoes `turnUpright`: a quarter turn by its opposite, all others by themselves. */
export function turnBack(picture: Sharp, orientation: number): Sharp {
  if (orientation === 6) return turnUpright(picture, 8);
  if (orientation === 8) return turnUpright(picture, 6);
  return turnUpright(picture, orientation);
}
