import { sceneJpeg } from '../../test/fixtures/pictures.ts';

export interface Size {
  readonly megapixels: number;
  readonly width: number;
  readonly height: number;
}

export const sizes: readonly Size[] = [
  { megapixels: 1, width: 1024, height: 1024 },
  { megapixels: 4, width: 2304, height: 1728 },
  { megapixels: 12, width: 4000, height: 3000 },
  { megapixels: 24, width: 6000, height: 4000 },
];

export function sceneOf({ width, height }: Size): Promise<Buffer> {
  return sceneJpeg({ width, height, seed: 1, quality: 90 });
}
