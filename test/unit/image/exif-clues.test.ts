import { expect, test } from 'vitest';
import { readExifClues } from '../../../src/image/exif.ts';
import { type ExifParts, tiffBlock } from '../../fixtures/exif.ts';

const nothing = {
  texts: [],
  takenAt: null,
  changedAt: null,
  satelliteTime: null,
  statedSize: null,
  hasExposure: false,
  hasMakerNote: false,
  thumbnail: null,
};

const whole: ExifParts = {
  primary: { 0x010f: 'Acme', 0x0110: 'Snap 1', 0x0131: 'Darkroom', 0x0132: '2026:03:02 08:00:00' },
  exif: {
    0x829a: [[1, 125]],
    0x9003: '2026:03:01 12:30:05',
    0x9011: '-03:30',
    0x927c: Buffer.from('acme note'),
    0x9286: Buffer.from('ASCII\0\0\0hello'),
    0xa002: 4000,
    0xa003: 3000,
  },
  gps: {
    0x0001: 'N',
    0x0002: [
      [51, 1],
      [30, 1],
      [12, 1],
    ],
    0x0007: [
      [16, 1],
      [0, 1],
      [61, 2],
    ],
    0x001d: '2026:03:01',
  },
  thumbnail: Buffer.from([0xff, 0xd8, 0xff, 0xd9]),
};

test('a missing block, or one without a directory, gives nothing', () => {
  expect(readExifClues([])).toEqual(nothing);
  expect(readExifClues([Buffer.from('MM\0*\0\0\0\0', 'latin1')])).toEqual(nothing);
});

test('texts, times, sizes and the thumbnail are read, but only the clock of the position', () => {
  const clues = readExifClues([tiffBlock(whole)]);

  expect(clues).toEqual({
    texts: [
      { tag: 0x010f, field: 'Make', text: 'Acme' },
      { tag: 0x0110, field: 'Model', text: 'Snap 1' },
      { tag: 0x0131, field: 'Software', text: 'Darkroom' },
      { tag: 0x0132, field: 'DateTime', text: '2026:03:02 08:00:00' },
      { tag: 0x9003, field: 'DateTimeOriginal', text: '2026:03:01 12:30:05' },
      { tag: 0x9011, field: '0x9011', text: '-03:30' },
      { tag: 0x9286, field: 'UserComment', text: 'hello' },
    ],
    takenAt: { at: new Date('2026-03-01T12:30:05Z'), offsetMinutes: -210 },
    changedAt: { at: new Date('2026-03-02T08:00:00Z'), offsetMinutes: null },
    satelliteTime: new Date('2026-03-01T16:00:30Z'),
    statedSize: { width: 4000, height: 3000 },
    hasExposure: true,
    hasMakerNote: true,
    thumbnail: Buffer.from([0xff, 0xd8, 0xff, 0xd9]),
  });
});

test.each([
  ['an invalid month', '2026:13:01 12:00:00'],
  ['spaces, as written by cameras without a clock', '    :  :     :  :  '],
  ['another form', '2026-03-01T12:00:00'],
])('a time with %s does not count', (_, time) => {
  expect(readExifClues([tiffBlock({ exif: { 0x9003: time } })]).takenAt).toBeNull();
});

test('every truncation of a block is read without throwing', () => {
  const block = tiffBlock(whole);

  const read = Array.from(block, (_, length) => readExifClues([block.subarray(0, length)]));

  expect(read).toHaveLength(block.length);
  expect(read[7]).toEqual(nothing);
});

test('a block that refers to itself, or has endless entries, terminates', () => {
  const looped = Buffer.from(tiffBlock({ primary: { 0x8769: 8, 0x8825: 8 } }));
  const endless = Buffer.alloc(200_000, 0xff);
  endless.write('II*\0\x08\0\0\0', 'latin1');

  expect(readExifClues([looped]).texts).toEqual([]);
  expect(readExifClues([endless]).texts).toEqual([]);
});
