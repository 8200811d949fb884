/** Drawn pictures with a history of saves and pastes. */

import sharp from 'sharp';
import { fromScene, type Scene } from '../../fixtures/pictures.ts';

/** The pixels after saving as JPEG. */
export async function resaved(scene: Scene, quality: number): Promise<Scene> {
  const file = await fromScene(scene).jpeg({ quality }).toBuffer();
  return { ...scene, rgb: new Uint8Array(await sharp(file).raw().toBuffer()) };
}

export interface Box {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** Copies `box` of `donor` into `host`, moved right and down by `by` pixels. */
export function pasted(host: Scene, donor: Scene, box: Box, by = { x: 0, y: 0 }): Scene {
  const rgb = host.rgb.slice();
  for (let y = box.top; y < box.top + box.height; y++) {
    const from = 3 * (y * donor.width + box.left);
    const to = 3 * ((y + by.y) * host.width + box.left + by.x);
    rgb.set(donor.rgb.subarray(from, from + 3 * box.width), to);
  }
  return { ...host, rgb };
}
