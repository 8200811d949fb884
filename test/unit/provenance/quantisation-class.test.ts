import sharp, { type JpegOptions } from 'sharp';
import { expect, test } from 'vitest';
import { readJpeg } from '../../../src/image/jpeg-structure.ts';
import { classifyTables } from '../../../src/provenance/consistency.ts';

const grey = sharp({ create: { width: 72, height: 72, channels: 3, background: '#808080' } });

async function classOf(options: JpegOptions, picture = grey) {
  return classifyTables(readJpeg(await picture.clone().jpeg(options).toBuffer()).structure);
}

test.each([1, 10, 25, 49, 50, 51, 75, 90, 95, 99, 100])(
  'libjpeg at quality %i is recognised with its quality',
  async (quality) => {
    expect(await classOf({ quality })).toEqual({ kind: 'libjpeg', name: null, quality });
  },
);

test.each([10, 30, 50, 75, 80, 95])('mozjpeg at quality %i is recognised', async (quality) => {
  expect(await classOf({ quality, mozjpeg: true })).toEqual({
    kind: 'known-software',
    name: 'mozjpeg',
    quality: null,
  });
});

test('a grey picture is recognised by its only table', async () => {
  const one = await classOf({ quality: 80 }, grey.clone().greyscale());

  expect(one).toMatchObject({ kind: 'libjpeg', quality: 80 });
});

test.each([1, 2, 4, 5])('table set %i of mozjpeg has no name', async (quantisationTable) => {
  expect(await classOf({ quality: 75, quantisationTable })).toMatchObject({ kind: 'custom' });
});

test('libjpeg tables of two different settings match no program', async () => {
  const structure = readJpeg(await grey.clone().jpeg({ quality: 80 }).toBuffer()).structure;
  const other = readJpeg(await grey.clone().jpeg({ quality: 90 }).toBuffer()).structure;
  const quantisationTables = [structure.quantisationTables[0]!, other.quantisationTables[1]!];

  expect(classifyTables({ ...structure, quantisationTables }).kind).toBe('custom');
});

test('a single different step makes a different table', async () => {
  const structure = readJpeg(await grey.clone().jpeg({ quality: 80 }).toBuffer()).structure;
  const [luma, chroma] = structure.quantisationTables;
  const steps = luma!.steps.with(10, luma!.steps[10]! + 1);

  const { kind } = classifyTables({
    ...structure,
    quantisationTables: [{ ...luma!, steps }, chroma!],
  });

  expect(kind).toBe('custom');
});
