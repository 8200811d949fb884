/** Pictures with everything that is read from a file: EXIF with a thumbnail, XMP, ICC, text chunks, signed credentials. */

import { deflateSync } from 'node:zlib';
import { createAuthority, withCredentials } from '../../test/fixtures/content-credentials.ts';
import { exifSegment, tiffBlock } from '../../test/fixtures/exif.ts';
import { jpegSegment, withSegments } from '../../test/fixtures/jpeg-segments.ts';
import { drawScene, fromScene, sceneJpeg, scenePng } from '../../test/fixtures/pictures.ts';
import { pngChunk, withChunks } from '../../test/fixtures/png-chunks.ts';
import { xmpPacket } from '../../test/fixtures/xmp.ts';

const size = { width: 96, height: 80, seed: 3 };

export interface BasePictures {
  readonly plain: readonly Buffer[];
  /** With content credentials. */
  readonly signed: readonly Buffer[];
}

export async function basePictures(): Promise<BasePictures> {
  const thumbnail = await sceneJpeg({ width: 65, height: 65, seed: 3, quality: 60 });
  const exif = {
    primary: { 0x010f: 'Maker', 0x0110: 'Model', 0x0112: 1, 0x0131: 'Editor 1.0' },
    exif: { 0x9003: '2024:05:06 07:08:09', 0x829a: [[1, 125]] as const },
    gps: {
      1: 'N',
      2: [
        [50, 1],
        [6, 1],
        [30, 1],
      ] as const,
    },
    thumbnail,
  };
  const packet = xmpPacket({ 'xmp:CreatorTool': 'Editor 1.0', 'xmp:CreateDate': '2024-05-06' });
  const scene = fromScene(drawScene(size));
  const withProfile = await scene.clone().withIccProfile('srgb').jpeg({ quality: 85 }).toBuffer();
  const xmpSegment = jpegSegment(0xe1, `http://ns.adobe.com/xap/1.0/\0${packet}`);
  const full = withSegments(withProfile, exifSegment(exif), xmpSegment);
  const progressive = await scene.clone().jpeg({ progressive: true }).toBuffer();
  const png = withChunks(
    await scenePng(size),
    pngChunk('eXIf', tiffBlock(exif)),
    pngChunk('iTXt', Buffer.from(`XML:com.adobe.xmp\0\0\0\0\0${packet}`)),
    pngChunk('tEXt', 'parameters\0a cat, Steps: 20, Sampler: Euler'),
    pngChunk('zTXt', Buffer.concat([Buffer.from('Comment\0\0'), deflateSync('x'.repeat(5000))])),
  );
  const palette = await scene.clone().png({ palette: true, colours: 8 }).toBuffer();
  const signer = await (await createAuthority('Torture')).issue('Signer');
  const actions = [{ action: 'c2pa.created', software: 'Generator' }];
  const signed = [
    await withCredentials(full, { signer, actions }),
    await withCredentials(png, { signer, actions }),
  ];
  return { plain: [full, progressive, png, palette], signed };
}
