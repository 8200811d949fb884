import sharp from 'sharp';
import { afterAll, expect, test } from 'vitest';
import { createSandbox } from '../../../src/examiner/sandbox.ts';

const size = { width: 80, height: 70 };
const sandbox = createSandbox({ poolSize: 1 });

afterAll(() => sandbox.close());

async function greyPng(values: Uint16Array, compressionLevel = 6): Promise<Buffer> {
  const raw = { ...size, channels: 1 } as const;
  return sharp(values, { raw }).toColourspace('grey16').png({ compressionLevel }).toBuffer();
}

async function colourPng(values: Uint8Array): Promise<Buffer> {
  const raw = { ...size, channels: 3 } as const;
  return sharp(values, { raw }).png().toBuffer();
}

const slope = () => Uint16Array.from({ length: size.width * size.height }, (_, i) => 11 * i);

test('equal samples in different compression do not differ', async () => {
  const [one, other] = [await greyPng(slope(), 1), await greyPng(slope(), 9)];

  expect(one.equals(other)).toBe(false);
  expect(await sandbox.compare({ one, other })).toEqual({ differing: 0, largest: 0 });
});

test('a single 16-bit sample that differs by one step is detected', async () => {
  const changed = slope();
  changed[4711]! += 1;

  const [one, other] = [await greyPng(slope()), await greyPng(changed)];

  expect(await sandbox.compare({ one, other })).toEqual({ differing: 1, largest: 1 / 65_535 });
});

test('each colour channel counts separately', async () => {
  const grey = new Uint8Array(3 * size.width * size.height).fill(100);
  const changed = Uint8Array.from(grey);
  changed.set([151, 100, 49]);

  const [one, other] = [await colourPng(grey), await colourPng(changed)];

  expect(await sandbox.compare({ one, other })).toEqual({ differing: 2, largest: 51 / 255 });
});

test('pictures of different types, and other files, cannot be compared', async () => {
  const colour = await colourPng(new Uint8Array(3 * size.width * size.height));
  const grey = await greyPng(slope());

  expect(await sandbox.compare({ one: colour, other: grey })).toBeNull();
  expect(await sandbox.compare({ one: colour, other: Buffer.from('hello') })).toBeNull();
});
