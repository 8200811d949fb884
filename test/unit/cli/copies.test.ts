import { createHash } from 'node:crypto';
import sharp from 'sharp';
import { expect, test } from 'vitest';
import { createCopyFinder } from '../../../src/cli/analyze/copies.ts';
import { createCopyReader } from '../../../src/cli/analyze/record.ts';
import type { SeenBefore } from '../../../src/contract/seen-before.ts';
import { decodePicture } from '../../../src/image/decode.ts';
import { findFingerprint, packFingerprint } from '../../../src/image/keypoints.ts';
import { scenePng } from '../../fixtures/pictures.ts';
import { seen } from '../present/examination.ts';

const copyOf = { file: 'a.jpg', isSameFile: false, isMirrored: false };

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

  expect(find(await pictureOf('a.jpg', original))).toBeNull();
  expect(find(await pictureOf('b.png', other))).toBeNull();
  expect(find(await pictureOf('c.png', original))).toEqual({ ...copyOf, isSameFile: true });
  expect(find(await pictureOf('d.jpg', mirrored))).toEqual({ ...copyOf, isMirrored: true });
});

const other = (id: string, isMirrored = false): SeenBefore => {
  return { ...seen, id, alignment: { ...seen.alignment!, isMirrored } };
};
const record = (id: string, sha256: string, ...seenBefore: readonly SeenBefore[]) => {
  return { file: `${id}.jpg`, sha256, analysisId: id, seenBefore };
};

test('copies in a batch on a server are told apart from pictures seen before it', () => {
  const read = createCopyReader(new Set(['a', 'b', 'c', 'd']));
  // Its server result came last, so only this one names the next.
  const first = record('a', 'A', seen, other('b', true));

  expect(read(first)).toEqual({ ...first, seenBefore: [seen] });
  expect(read(record('b', 'B', seen))).toMatchObject({ copyOf: { ...copyOf, isMirrored: true } });
  expect(read(record('c', 'C', other('a'), seen))).toMatchObject({ seenBefore: [seen], copyOf });
  expect(read(record('d', 'A', other('a')))).toMatchObject({
    seenBefore: [],
    copyOf: { ...copyOf, isSameFile: true },
  });
});
