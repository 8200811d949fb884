import { createHash } from 'node:crypto';
import sharp from 'sharp';
import { expect, test } from 'vitest';
import { createCopyFinder } from '../../../src/cli/analyze/copies.ts';
import { decodePicture } from '../../../src/image/decode.ts';
import { findFingerprint, packFingerprint } from '../../../src/image/keypoints.ts';
import { scenePng } from '../../fixtures/pictures.ts';

async function pictureOf(file: string, bytes: Buffer) {
  const fingerprint = packFingerprint(await findFingerprint(await decodePicture(bytes)));
  return { file, sha256: createHash('sha256').update(bytes).digest('hex'), fingerprint };
}

test('duplicate files and copies of a picture are found in a batch, and nothing else', async () => {
  const find = createCopyFinder();
  const original = await scenePng({ width: 800, height: 600, seed: 21 });
  const part = sharp(original).extract({ left: 60, top: 40, width: 660, height: 500 });
  const mirrored = await part.flop().jpeg({ quality: 60 }).toBuffer();
  const other = await scenePng({ width: 800, height: 600, seed: 22 });

  expect(find(await pictureOf('a.png', original))).toBeNull();
  expect(find(await pictureOf('b.png', other))).toBeNull();
  expect(find(await pictureOf('c.png', original))).toEqual({
    file: 'a.png',
    isSameFile: true,
    isMirrored: false,
  });
  expect(find(await pictureOf('d.jpg', mirrored))).toEqual({
    file: 'a.png',
    isSameFile: false,
    isMirrored: true,
  });
});
