import sharp from 'sharp';
import { expect, test } from 'vitest';
import { listPdfParts, readPdfPart } from '../../../src/image/pdf.ts';
import { localLimits } from '../../../src/image/picture.ts';
import { makePdf } from '../../fixtures/pdf-file.ts';

const noise = { type: 'gaussian', mean: 128, sigma: 40 } as const;
const plate = { width: 320, height: 240, channels: 3, background: '#888', noise } as const;
const noisy = sharp({ create: plate });
const jpeg = await noisy.clone().jpeg({ quality: 83 }).toBuffer();
const png = await noisy.clone().blur(2).png().toBuffer();
const icon = await noisy.clone().resize(32, 32).png().toBuffer();
const scan = await noisy.clone().negate().jpeg().toBuffer();
const document = await makePdf((doc) => {
  doc.text('Claim 4711');
  doc.image(jpeg, 72, 144, { width: 144 }).image(png, 300, 144, { width: 150 });
  doc.image(icon, 50, 50);
  doc
    .addPage()
    .save()
    .rotate(90, { origin: [300, 400] })
    .image(jpeg, 100, 150, { width: 200 })
    .restore();
  doc.addPage({ size: 'A4', margin: 0 }).image(scan, 0, 0, { width: 595.28, height: 841.89 });
});
const contents = await listPdfParts(document, localLimits);

test('the pictures of each page and the page itself are listed once, a scanned page as its picture', () => {
  const { parts, ...counts } = contents;

  expect(parts.map(({ page, picture }) => [page, picture])).toEqual([
    [1, 1],
    [1, 2],
    [1, null],
    [2, null],
    [3, 1],
  ]);
  expect(counts).toEqual({ tooSmall: 1, repeated: 1, laterPages: 0 });
});

test('bytes before the header, as a mail gateway leaves them, change nothing', async () => {
  const file = Buffer.concat([Buffer.from('X-Scanned: clean\r\n\r\n'), document]);

  expect(await listPdfParts(file, localLimits)).toEqual(contents);
});

test('a place is given in millimetres from the upper left corner', () => {
  const { left, top, width, height } = contents.parts[0]!.place;

  expect([left, top, width, height].map((value) => Math.round(value * 10) / 10)).toEqual([
    25.4, 50.8, 50.8, 38.1,
  ]);
});

test('a JPEG is extracted unchanged, any other picture as its samples', async () => {
  expect(Buffer.from(await readPdfPart(document, { page: 1, picture: 1 }, localLimits))).toEqual(
    jpeg,
  );

  const other = await readPdfPart(document, { page: 1, picture: 2 }, localLimits);
  expect(await sharp(other).raw().toBuffer()).toEqual(await sharp(png).raw().toBuffer());
});

test('a page is rendered at 150 dpi with its pictures', async () => {
  const drawn = await readPdfPart(document, { page: 1, picture: null }, localLimits);
  const { width, height } = await sharp(drawn).metadata();

  expect([width, height]).toEqual([1241, 1754]);
  const [top, picture] = await Promise.all(
    [
      { left: 700, top: 10, width: 100, height: 100 },
      { left: 200, top: 350, width: 100, height: 100 },
    ].map(async (area) => sharp(drawn).extract(area).greyscale().raw().toBuffer()),
  );
  expect(new Set(top)).toEqual(new Set([255]));
  expect(new Set(picture).size).toBeGreaterThan(50);
});

test.for([
  [
    'with a password',
    () => makePdf((doc) => doc.text('secret'), { userPassword: 'x' }),
    /needs a password/,
  ],
  ['cut off', async () => document.subarray(0, 200), /PDF file is damaged/],
  ['empty', async () => new Uint8Array(), /0 bytes/],
] as const)('a PDF that is %s is refused with advice', async ([, make, message]) => {
  await expect(listPdfParts(await make(), localLimits)).rejects.toThrow(message);
});
