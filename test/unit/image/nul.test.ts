/** Remnants after the terminating NUL of a text are never shown. */

import { expect, test } from 'vitest';
import { decodePicture } from '../../../src/image/decode.ts';
import { provenanceOf, withExif } from '../provenance/files.ts';
import { jpegSegment, withSegments } from '../../fixtures/jpeg-segments.ts';
import { pngChunk, withChunks } from '../../fixtures/png-chunks.ts';
import { sceneJpeg, scenePng } from '../../fixtures/pictures.ts';

const size = { width: 96, height: 72, seed: 8 };
const rest = '\0H\x002003:08:01\0old buffer';
const padded = (text: string) => ({ type: 2, bytes: Buffer.from(`${text}${rest}`) });

test.each([
  [
    'maker and model',
    withExif({ primary: { 0x010f: padded('Acme'), 0x0110: padded('Snap 710') } }),
  ],
  [
    'software and artist',
    withExif({ primary: { 0x0131: padded('Darkroom'), 0x013b: padded('A. Berg') } }),
  ],
  ['a lens', withExif({ exif: { 0xa434: padded('50 mm') } })],
  ['a comment', withExif({ exif: { 0x9286: Buffer.from(`ASCII\0\0\0hello${rest}`) } })],
  ['a copyright', withExif({ primary: { 0x8298: padded('A. Berg') } })],
  ['a JPEG comment', withSegments(await sceneJpeg(size), jpegSegment(0xfe, `hello${rest}`))],
  [
    'a PNG text chunk',
    withChunks(await scenePng(size), pngChunk('tEXt', `Software\0Darkroom${rest}`)),
  ],
])('nothing after the NUL of %s is shown', async (_, file) => {
  const { facts } = await decodePicture(file);

  const shown = JSON.stringify([facts.metadata, await provenanceOf(file)]);

  expect(shown).not.toMatch(/old buffer|2003/);
  expect(shown).toMatch(/Acme|Darkroom|A\. Berg|50 mm|hello/);
});

test.each([
  ['a workflow', { 0x010f: 'workflow:{"nodes": []}', 0x0110: 'prompt:{"1": {}}' }],
  ['settings', { 0x010f: 'Acme', 0x0110: '{"prompt": "a", "seed": 1}' }],
])('%s in the camera fields is not a camera', async (_, primary) => {
  const file = withExif({ primary });
  const { facts } = await decodePicture(file);
  const { software } = await provenanceOf(file);

  expect(facts.metadata.cameraModel).toBeNull();
  expect(software.filter(({ kind }) => kind === 'camera')).toEqual([]);
});
