import sharp, { type JpegOptions, type Sharp } from 'sharp';
import { describe, expect, test } from 'vitest';
import { decodePicture } from '../../../src/image/decode.ts';
import { readProvenance } from '../../../src/provenance/read-provenance.ts';
import { wordProvenance } from '../../../src/present/findings.ts';
import { type ExifParts, exifSegment } from '../../fixtures/exif.ts';
import { withSegments } from '../../fixtures/jpeg-segments.ts';
import { sceneJpeg } from '../../fixtures/pictures.ts';
import { xmpPacket } from '../../fixtures/xmp.ts';
import { codesOf, jpeg, provenanceOf, wholes, withExif, withXmp } from './files.ts';
import { readJpeg } from '../../../src/image/jpeg-structure.ts';
import { classifyTables } from '../../../src/provenance/consistency.ts';

const taken = { 0x9003: '2026:03:01 12:00:00' };
const camera = { 0x010f: 'Canon', 0x0110: 'Canon EOS 80D' };
const otherCamera = { 0x010f: 'Acme', 0x0110: 'Snap 1' };
const shot = { 0x829a: [[1, 125]] } as const;

test('a file without metadata, or a photograph as its camera wrote it, contradicts nothing', async () => {
  const thumbnail = await sharp(jpeg).resize(48).jpeg().toBuffer();
  const file = withExif({
    primary: { ...camera, 0x0132: '2026:03:01 12:00:01' },
    exif: { ...taken, ...shot, 0x927c: Buffer.from('canon note'), 0xa002: 96, 0xa003: 72 },
    gps: { 0x0007: wholes(11, 0, 0), 0x001d: '2026:03:01' },
    thumbnail,
  });

  expect(await codesOf(jpeg)).toEqual([]);
  expect(await codesOf(file)).toEqual([]);
});

/** Written at `at`. */
const changed = (at: string, more = {}) =>
  withExif({ primary: { 0x0132: at }, exif: { ...taken, ...more } });

const zones = (written: number, original: number) => ({
  0x9010: `+0${written}:00`,
  0x9011: `+0${original}:00`,
});

describe('times', () => {
  test.each<[string, Buffer, readonly string[]]>([
    ['two hours later', changed('2026:03:01 14:00:00'), ['modified_after_capture']],
    ['a day earlier, as zones may explain', changed('2026:02:28 12:00:00'), []],
    ['two days earlier', changed('2026:02:27 12:00:00'), ['created_after_modified']],
    [
      'an hour earlier in a known zone',
      changed('2026:03:01 11:00:00', zones(1, 1)),
      ['created_after_modified'],
    ],
    ['the same moment in two known zones', changed('2026:03:01 14:00:00', zones(2, 0)), []],
  ])('written %s', async (_, file, codes) => {
    expect(await codesOf(file)).toEqual(codes);
  });

  test('of an unset clock say nothing about the last change', async () => {
    const primary = { 0x0132: '2026:03:06 12:00:00' };
    const unset = ['1970:01:01 00:00:00', '1980:01:03 11:00:00', '2000:01:01 08:20:00'];

    for (const time of unset) {
      expect(await codesOf(withExif({ primary, exif: { 0x9003: time } }))).toEqual([]);
    }
  });

  test.each([
    ['2026:06:01 20:00:00', []],
    ['2026:06:03 12:00:00', ['time_in_future']],
  ])('taken %s, examined on the first of June', async (time, codes) => {
    expect(await codesOf(withExif({ exif: { 0x9003: time } }))).toEqual(codes);
  });

  test('in the future are reported the same whenever the file is examined', async () => {
    const bytes = withExif({ exif: { 0x9003: '2126:01:01 00:00:00' } });
    const picture = await decodePicture(bytes);

    const [one, other] = await Promise.all(
      ['2026-06-01', '2027-01-01'].map((day) =>
        readProvenance(bytes, picture, { trustList: null, now: new Date(day) }),
      ),
    );

    expect(one?.inconsistencies).toHaveLength(1);
    expect(one).toEqual(other);
  });

  test('are given in hours and days in both languages', async () => {
    const provenance = await provenanceOf(changed('2026:03:06 12:00:00'));

    expect(wordProvenance(provenance).inconsistencies[0]).toMatchObject({
      statement: {
        en: 'According to its own record, the file was last written 5 days after the picture was taken.',
        de: 'Nach den Angaben in der Datei wurde sie zuletzt 5 Tage nach der Aufnahme gespeichert.',
      },
      measures: { minutes: 7200 },
    });
  });
});

test.each([
  [96, 72, []],
  [72, 96, []],
  [4000, 3000, ['exif_size_differs']],
])('the size that EXIF states, %i x %i, is compared', async (width, height, codes) => {
  expect(await codesOf(withExif({ exif: { 0xa002: width, 0xa003: height } }))).toEqual(codes);
});

function withThumbnail(picture: Buffer, thumbnail: Buffer): Buffer {
  return withSegments(picture, exifSegment({ thumbnail }));
}

const small = (image: Sharp) => image.resize(160).jpeg({ quality: 70 }).toBuffer();

describe('a thumbnail', () => {
  const scene = { width: 640, height: 480, quality: 90, seed: 3 };
  const dark = '#050505';
  const bordered = (picture: Buffer, sides: { readonly top?: number; readonly bottom: number }) =>
    sharp(picture)
      .extend({ ...sides, background: dark })
      .jpeg()
      .toBuffer();
  const barred = { width: 160, height: 120, fit: 'contain', background: 'black' } as const;
  const grey = { create: { width: 160, height: 120, channels: 3, background: '#777' } } as const;

  test.each([1, 2, 3, 4])('is compared with the picture, scene %i', async (seed) => {
    const picture = await sceneJpeg({ ...scene, seed });
    const other = await sceneJpeg({ ...scene, seed: seed + 10 });
    const own = await small(sharp(picture).modulate({ brightness: 1.2 }));

    expect(await codesOf(withThumbnail(picture, own))).toEqual([]);
    expect(await codesOf(withThumbnail(picture, await small(sharp(other))))).toEqual([
      'thumbnail_content_differs',
    ]);
  });

  test.each<[string, (picture: Buffer) => Promise<readonly [Buffer, Buffer]>, readonly string[]]>([
    [
      'with black bars up to 4:3 is not reported',
      async () => {
        const wide = await sceneJpeg({ ...scene, width: 720 });
        return [wide, await sharp(wide).resize(barred).jpeg({ quality: 70 }).toBuffer()];
      },
      [],
    ],
    [
      'with a dark part on one side shows a crop, as no camera pads only one side',
      async (picture) => [picture, await small(sharp(await bordered(picture, { bottom: 120 })))],
      ['thumbnail_shape_differs'],
    ],
    [
      'of a picture with dark edges is not reported',
      async (picture) => {
        const night = await bordered(picture, { top: 120, bottom: 120 });
        return [night, await small(sharp(night))];
      },
      [],
    ],
    [
      'from before a crop is recognised by its shape',
      async (picture) => {
        const part = sharp(picture).extract({ left: 0, top: 0, width: 300, height: 480 });
        return [await part.jpeg().toBuffer(), await small(sharp(picture))];
      },
      ['thumbnail_shape_differs'],
    ],
    [
      'of one colour proves nothing',
      async (picture) => [picture, await sharp(grey).jpeg().toBuffer()],
      [],
    ],
  ])('%s', async (_, draw, codes) => {
    const [picture, thumbnail] = await draw(await sceneJpeg(scene));

    expect(await codesOf(withThumbnail(picture, thumbnail))).toEqual(codes);
  });

  test.each([6, 8])(
    'of a rotated picture (orientation %i) is not reported, rotated or not',
    async (orientation) => {
      const picture = await sceneJpeg({ ...scene, seed: 5, orientation });
      const upright = await sharp(picture).autoOrient().resize(120).jpeg().toBuffer();
      const turned = (thumbnail: Buffer) =>
        withSegments(picture, exifSegment({ primary: { 0x0112: orientation }, thumbnail }));

      expect(await codesOf(turned(upright))).toEqual([]);
      expect(await codesOf(turned(await small(sharp(picture))))).toEqual([]);
    },
  );

  test('that cannot be decoded is a warning', async () => {
    const { warnings, inconsistencies } = await provenanceOf(
      withExif({ thumbnail: Buffer.from('\xff\xd8\xff\xe0 not a picture', 'latin1') }),
    );

    expect(inconsistencies).toEqual([]);
    expect(warnings).toEqual([{ code: 'thumbnail_unreadable', values: {} }]);
  });
});

describe('a camera', () => {
  test('with the tables of a program is reported', async () => {
    const saved = await sharp(jpeg).jpeg({ mozjpeg: true }).toBuffer();
    const file = withSegments(saved, exifSegment({ primary: camera }));

    expect(await codesOf(file)).toEqual(['camera_tags_without_camera_tables']);
  });

  test.each<[string, ExifParts, readonly string[]]>([
    ['with standard tables, which many phones write, is not', { primary: camera }, []],
    [
      'that lacks its usual maker note is',
      { primary: camera, exif: shot },
      ['maker_note_missing_for_camera'],
    ],
    ['of a maker that may omit it is not', { primary: otherCamera, exif: shot }, []],
  ])('%s reported', async (_, parts, codes) => {
    expect(await codesOf(withExif(parts))).toEqual(codes);
  });
});

function history(steps: string): string {
  return xmpPacket(
    { 'xmlns:xmpMM': 'http://ns.adobe.com/xap/1.0/mm/', 'xmlns:stEvt': 'e' },
    `<xmpMM:History><rdf:Seq>${steps}</rdf:Seq></xmpMM:History>`,
  );
}

describe('a history in XMP', () => {
  test('of saving is reported with its number of steps, one of only its creation is not', async () => {
    const created = '<rdf:li stEvt:action="created"/>';
    const later = '<rdf:li stEvt:action="converted"/><rdf:li stEvt:action="saved"/>';

    const { inconsistencies } = await provenanceOf(withXmp(history(created + later)));

    expect(await codesOf(withXmp(history(created)))).toEqual([]);
    expect(inconsistencies).toMatchObject([
      { code: 'xmp_history_of_editing', measures: { steps: 2 } },
    ]);
  });

  test('keeps program, time and parameters of each step, and names the latest program', async () => {
    const steps =
      '<rdf:li stEvt:changed="/" stEvt:action="saved" stEvt:when="2014-11-11T10:00:00+01:00" stEvt:softwareAgent="Adobe Photoshop Camera Raw 8.6"/>' +
      '<rdf:li rdf:parseType="Resource"><stEvt:action>derived</stEvt:action><stEvt:parameters>converted from image/tiff to image/jpeg</stEvt:parameters></rdf:li>';

    const provenance = await provenanceOf(withXmp(history(steps)));

    const when = '2014-11-11T10:00:00+01:00';
    const parameters = 'converted from image/tiff to image/jpeg';
    expect(provenance.history).toEqual([
      { action: 'saved', software: 'Adobe Photoshop Camera Raw 8.6', when, parameters: null },
      { action: 'derived', software: null, when: null, parameters },
    ]);
    expect(wordProvenance(provenance).inconsistencies).toMatchObject([
      {
        measures: { steps: 2 },
        statement: {
          en: expect.stringContaining('Adobe Photoshop Camera Raw 8.6 (2014-11-11)'),
          de: expect.stringContaining('Adobe Photoshop Camera Raw 8.6 (11.11.2014)'),
        },
      },
    ]);
  });
});

const grey = sharp({ create: { width: 72, height: 72, channels: 3, background: '#808080' } });

async function structureOf(options: JpegOptions, picture = grey) {
  return readJpeg(await picture.clone().jpeg(options).toBuffer()).structure;
}

async function classOf(...given: Parameters<typeof structureOf>) {
  return classifyTables(await structureOf(...given));
}

test.each([1, 10, 25, 49, 50, 51, 75, 90, 95, 99, 100])(
  'libjpeg at quality %i is recognised with its quality',
  async (quality) => {
    expect(await classOf({ quality })).toEqual({ kind: 'libjpeg', name: null, quality });
  },
);

test.each([10, 30, 50, 75, 80, 95])('mozjpeg at quality %i is recognised', async (quality) => {
  const mozjpeg = { kind: 'known-software', name: 'mozjpeg', quality: null };
  expect(await classOf({ quality, mozjpeg: true })).toEqual(mozjpeg);
});

test('a grey picture is recognised by its only table', async () => {
  const one = await classOf({ quality: 80 }, grey.clone().greyscale());

  expect(one).toMatchObject({ kind: 'libjpeg', quality: 80 });
});

test.each([1, 2, 4, 5])('table set %i of mozjpeg has no name', async (quantisationTable) => {
  expect(await classOf({ quality: 75, quantisationTable })).toMatchObject({ kind: 'custom' });
});

test('tables of two settings, or with a single different step, match no program', async () => {
  const structure = await structureOf({ quality: 80 });
  const [luma, chroma] = structure.quantisationTables;
  const other = await structureOf({ quality: 90 });
  const steps = luma!.steps.with(10, luma!.steps[10]! + 1);

  for (const quantisationTables of [
    [luma!, other.quantisationTables[1]!],
    [{ ...luma!, steps }, chroma!],
  ])
    expect(classifyTables({ ...structure, quantisationTables }).kind).toBe('custom');
});
