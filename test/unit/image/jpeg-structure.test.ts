import { describe, expect, test } from 'vitest';
import { ForensicsError } from '../../../src/contract/errors.ts';
import { inRows, luminanceTable, readJpeg } from '../../../src/image/jpeg-structure.ts';
import { jpegSegment, jpegWithRestarts, withSegments } from '../../fixtures/jpeg-segments.ts';
import { drawScene, fromScene, sceneJpeg } from '../../fixtures/pictures.ts';

const size = { width: 80, height: 70, seed: 3 };
const scene = fromScene(drawScene(size));
const plain = await sceneJpeg({ ...size, quality: 60 });

const unreadable = expect.objectContaining({ code: 'image_unreadable' });

describe('readJpeg', () => {
  test('reads frame, tables and segments of a baseline file', () => {
    const structure = readJpeg(plain).structure;

    expect(structure).toMatchObject({
      progressive: false,
      arithmetic: false,
      precision: 8,
      chromaSubsampling: '4:2:0',
      quality: { value: 60, distance: 0 },
      scans: 1,
      restartInterval: 0,
      trailingBytes: 0,
    });
    expect(structure.components).toEqual([
      { id: 1, h: 2, v: 2, quantisationTable: 0 },
      { id: 2, h: 1, v: 1, quantisationTable: 1 },
      { id: 3, h: 1, v: 1, quantisationTable: 1 },
    ]);
    const [luma, chroma] = [0, 1].map((id) => ({ id, precision: 8 }));
    expect(structure.quantisationTables).toMatchObject([luma, chroma]);
    expect(structure.quantisationTables[0]!.steps).toEqual(luminanceTable(60));
  });

  test('the segments start at their markers in the file, from SOI to EOI', () => {
    const { segments } = readJpeg(plain).structure;

    const usual = ['SOI', 'DQT', 'SOF0', 'DHT', 'SOS', 'EOI'];
    expect(segments.map(({ label }) => label)).toEqual(expect.arrayContaining(usual));
    for (const { offset, marker } of segments) {
      expect([plain[offset], plain[offset + 1]]).toEqual([0xff, marker]);
    }
    const last = segments.at(-1)!;
    expect(last.label).toBe('EOI');
    expect(last.offset + last.sizeBytes).toBe(plain.length);
  });

  test('a progressive file has several scans', async () => {
    const file = await scene.clone().jpeg({ progressive: true }).toBuffer();
    const { structure } = readJpeg(file);

    expect(structure.progressive).toBe(true);
    expect(structure.scans).toBeGreaterThan(3);
  });

  test('restart markers belong to the scan', () => {
    const structure = readJpeg(jpegWithRestarts()).structure;

    const grey = { chromaSubsampling: 'grey', quality: { value: 100, distance: 0 } };
    expect(structure).toMatchObject({ restartInterval: 9, scans: 1, trailingBytes: 0, ...grey });
  });

  test('application segments are labelled with their identifier', () => {
    const jpeg = withSegments(
      plain,
      jpegSegment(0xe1, 'http://ns.adobe.com/xap/1.0/\0<x/>'),
      jpegSegment(0xe2, 'MPF\0rest'),
      jpegSegment(0xeb, Buffer.from([0x80, 1, 2])),
      jpegSegment(0xfe, 'a comment'),
    );

    const labels = readJpeg(jpeg).structure.segments.map(({ label }) => label);

    expect(labels.slice(0, 5)).toEqual(['SOI', 'APP1 XMP', 'APP2 MPF', 'APP11', 'COM']);
  });

  test('fill bytes before a marker and stray bytes between segments are skipped', () => {
    const jpeg = withSegments(plain, Buffer.from([7, 7]), Buffer.from([0xff, 0xff, 0xff]));

    const structure = readJpeg(jpeg).structure;

    expect(structure.quality).toEqual({ value: 60, distance: 0 });
    expect(structure.segments).toHaveLength(readJpeg(plain).structure.segments.length);
  });
});

describe('chroma subsampling', () => {
  test.each([
    ['4:4:4', [0x11, 0x11, 0x11]],
    ['4:4:4', [0x22, 0x22, 0x22]],
    ['4:2:2', [0x21, 0x11, 0x11]],
    ['4:2:0', [0x22, 0x11, 0x11]],
    ['4:4:0', [0x12, 0x11, 0x11]],
    ['4:1:1', [0x41, 0x11, 0x11]],
    ['4:1:0', [0x42, 0x11, 0x11]],
    ['grey', [0x22]],
    ['2x2,1x2,1x1', [0x22, 0x12, 0x11]],
    ['4:2:0', [0x22, 0x11, 0x11, 0x22]],
  ])('%s is read from the sampling factors', (name, factors) => {
    expect(named(factors)).toBe(name);
  });

  test.each([[0x01], [0x10], [0x51], [0x15]])('a factor outside 1..4 is rejected: %i', (factor) => {
    expect(() => named([factor])).toThrow(unreadable);
  });
});

describe('quantisation tables', () => {
  const steps = luminanceTable(30);

  test('of 16 bits are read, and have a quality if their steps fit into 8 bits', () => {
    const wide = steps.flatMap((step) => [step >> 8, step & 255]);
    const jpeg = withTable([0x10, ...wide]);

    const structure = readJpeg(jpeg).structure;

    expect(structure.quantisationTables[0]).toEqual({ id: 0, precision: 16, steps });
    expect(structure.quality).toEqual({ value: 30, distance: 0 });
  });

  test('with steps above 255 have no quality', () => {
    const wide = steps.flatMap((step) => [1, step]);

    expect(readJpeg(withTable([0x10, ...wide])).structure.quality).toBeNull();
  });

  test('may share a segment, and a later one replaces an earlier one', () => {
    const jpeg = withTable([0, ...luminanceTable(90), 1, ...steps, 0, ...steps]);

    expect(readJpeg(jpeg).structure.quantisationTables).toEqual([
      { id: 0, precision: 8, steps },
      { id: 1, precision: 8, steps },
    ]);
  });

  test.each([
    ['cut short', [0, ...steps.slice(1)]],
    ['with an identifier above 3', [4, ...steps]],
    ['of a third precision', [0x20, ...steps]],
    ['with a step of 0', [0, ...steps.with(9, 0)]],
  ])('%s are refused', (_, payload) => {
    expect(() => readJpeg(withTable(payload))).toThrow(unreadable);
  });
});

describe('malicious files', () => {
  test('any single wrong byte gives a structure or one of our own errors', () => {
    const file = jpegWithRestarts();
    for (let at = 0; at < file.length; at++) {
      for (const wrong of [0x00, 0x01, 0x7f, 0xd8, 0xff]) {
        const damaged = Buffer.from(file);
        damaged[at] = wrong;
        expect(outcome(damaged)).toMatch(/^(?:read|image_unreadable|image_not_supported)$/);
      }
    }
  });

  test.each([
    ['more segments than any real file has', Array<Buffer>(1001).fill(jpegSegment(0xfe, ''))],
    ['more scans than any encoder writes', Array<Buffer>(101).fill(jpegSegment(0xda, ''))],
    ['a second start inside', [Buffer.from([0xff, 0xd8])]],
    ['a marker that no standard knows', [jpegSegment(0x07, 'xy')]],
    ['a segment length of 1', [Buffer.from([0xff, 0xe1, 0, 1])]],
    ['a second frame header', [jpegSegment(0xc0, Buffer.from([8, 0, 9, 0, 9, 1, 1, 0x11, 0]))]],
  ])('%s is refused', (_, added) => {
    expect(() => readJpeg(withSegments(plain, ...added))).toThrow(unreadable);
  });

  test('lossless and 12-bit files are reported as a kind without a decoder', () => {
    const lossless = Buffer.from(jpegWithRestarts());
    const frame = lossless.indexOf(Buffer.from([0xff, 0xc0]));
    const deep = Buffer.from(lossless);
    lossless[frame + 1] = 0xc3;
    deep[frame + 4] = 12;

    expect(outcome(lossless)).toBe('image_not_supported');
    expect(outcome(deep)).toBe('image_not_supported');
  });
});

/** Only the frame header matters; the entropy-coded data is not read. */
function named(factors: readonly number[]): string {
  const jpeg = jpegWithRestarts();
  const frame = jpeg.indexOf(Buffer.from([0xff, 0xc0]));
  const parts = factors.flatMap((factor, i) => [i + 1, factor, 0]);
  const header = jpegSegment(0xc0, Uint8Array.from([8, 0, 72, 0, 72, factors.length, ...parts]));
  const file = Buffer.concat([jpeg.subarray(0, frame), header, jpeg.subarray(frame + 13)]);
  return readJpeg(file).structure.chromaSubsampling;
}

/** A file whose only tables are in one DQT payload. */
function withTable(payload: readonly number[]): Buffer {
  const jpeg = jpegWithRestarts();
  const tables = jpegSegment(0xdb, Uint8Array.from(payload));
  return Buffer.concat([jpeg.subarray(0, 2), tables, jpeg.subarray(2 + 69)]);
}

function outcome(bytes: Uint8Array): string {
  try {
    readJpeg(bytes);
    return 'read';
  } catch (error) {
    return error instanceof ForensicsError ? error.code : String(error);
  }
}

const saved = fromScene(drawScene({ width: 65, height: 65, seed: 7 }));

test('readJpeg recovers every quality from a JPEG saved by sharp', async () => {
  const qualities = Array.from({ length: 100 }, (_, i) => i + 1);

  const read = await Promise.all(
    qualities.map(async (quality) => {
      const jpeg = await saved.clone().jpeg({ quality }).toBuffer();
      return readJpeg(jpeg).structure.quality;
    }),
  );

  expect(read).toEqual(qualities.map((value) => ({ value, distance: 0 })));
});

test('the table for quality 75 matches the one libjpeg writes', () => {
  // The DQT segment of any JPEG saved by cjpeg with default quality.
  const published = Buffer.from(
    '080606070605080707070909080a0c140d0c0b0b0c1912130f141d1a1f1e1d1a' +
      '1c1c20242e2720222c231c1c2837292c30313434341f27393d38323c2e333432',
    'hex',
  );

  expect(luminanceTable(75)).toEqual([...published]);
});

test('quality 50 is the base table of ITU-T T.81', () => {
  expect(luminanceTable(50).slice(0, 10)).toEqual([16, 11, 12, 14, 12, 10, 16, 14, 13, 14]);
});

test('a non-standard table gets the nearest setting and a distance', async () => {
  const jpeg = await saved.clone().jpeg({ quality: 80 }).toBuffer();
  // The first step of the luminance table, after the marker, the length and the number of the table.
  jpeg[jpeg.indexOf(Buffer.of(0xff, 0xdb)) + 5]! += 32;

  expect(readJpeg(jpeg).structure.quality).toEqual({ value: 80, distance: 0.5 });
});

test('a table from another encoder is not taken for an exact match', async () => {
  const jpeg = await saved.clone().jpeg({ quality: 60, mozjpeg: true }).toBuffer();

  expect(readJpeg(jpeg).structure.quality?.distance).toBeGreaterThan(1);
});

test('zig-zag order matches Figure A.6 of ITU-T T.81', () => {
  const positions = inRows(Array.from({ length: 64 }, (_, position) => position));

  expect(positions).toEqual(
    [
      [0, 1, 5, 6, 14, 15, 27, 28],
      [2, 4, 7, 13, 16, 26, 29, 42],
      [3, 8, 12, 17, 25, 30, 41, 43],
      [9, 11, 18, 24, 31, 40, 44, 53],
      [10, 19, 23, 32, 39, 45, 52, 54],
      [20, 22, 33, 38, 46, 51, 55, 60],
      [21, 34, 37, 47, 50, 56, 59, 61],
      [35, 36, 48, 49, 57, 58, 62, 63],
    ].flat(),
  );
});
