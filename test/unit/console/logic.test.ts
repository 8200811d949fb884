import { expect, onTestFinished, test, vi } from 'vitest';
import { dayStart } from '../../../src/console/api/analyses.ts';
import { ApiError, makeFirstUser, persistently } from '../../../src/console/api/client.ts';
import { inspect, toName } from '../../../src/console/api/picture.ts';
import { createUploadQueue, type UploadState } from '../../../src/console/api/upload.ts';
import { messageOf } from '../../../src/console/context.ts';
import { isNotStarted } from '../../../src/console/parts/pieces.tsx';
import { locate, numbersOf } from '../../../src/console/parts/located.ts';
import { firstLook, layOn, moveBy, toView, zoomBy } from '../../../src/console/parts/look.ts';
import { writeTime } from '../../../src/console/parts/verdict.ts';
import { readRoute } from '../../../src/console/places.ts';
import { words } from '../../../src/console/words/words.ts';
import { contractFormats, formats, notStarted } from '../../../src/contract/vocabulary.ts';
import { fileOf } from '../../fixtures/formats.ts';
import { drawScene, fromScene, sceneJpeg, scenePng } from '../../fixtures/pictures.ts';

const limits = {
  minSidePx: 65,
  maxSidePx: 4096,
  maxPixels: 4096 ** 2,
  maxBytes: 50_000_000,
  formats: contractFormats,
};
const scene = fromScene(drawScene({ width: 96, height: 72, seed: 1 }));

const large = { ...limits, maxSidePx: 8000 };
const drawn = (width: number, height: number) =>
  scene.clone().resize(width, height).png().toBuffer();

test.each([
  ['empty', Buffer.alloc(0), limits],
  ['otherFormat', Buffer.from('GIF89a'), limits],
  ['notPicture', Buffer.from('Dear editor'), limits],
  ['zip', Buffer.from('PK\u0003\u0004'), limits],
  ['pdf', Buffer.from('%PDF-1.7'), limits],
  ['tooSmall', await drawn(64, 64), limits],
  ['tooLarge', await drawn(4097, 66), limits],
  ['tooManyBytes', Buffer.alloc(50_000_001), limits],
  ['tooManyPixels', await drawn(16_385, 66), limits],
])('a file is refused before the upload: %s', async (refusal, bytes, allowed) => {
  expect(await inspect(new Blob([Uint8Array.from(bytes)]), allowed)).toBe(refusal);
});

test('larger pictures are sent if the service accepts them', async () => {
  expect(await inspect(new Blob([await drawn(5000, 66)]), large)).toMatchObject({ width: 5000 });
});

test.each(formats)('%s is sent if the service accepts everything', async (format) => {
  const file = new Blob([Uint8Array.from(await fileOf(format))]);

  expect(await inspect(file, { ...limits, formats })).toEqual({ format, width: 96, height: 72 });
});

test.each([3, 6])(
  'a picture that EXIF rotates (%i) is sent with its size as displayed',
  async (orientation) => {
    const shown = { width: 96, height: 72 };
    const turned = { ...shown, seed: 1, orientation };

    for (const file of [await sceneJpeg(turned), await scenePng(turned)])
      expect(await inspect(new Blob([Uint8Array.from(file)]), limits)).toMatchObject(shown);
  },
);

test('a JPEG truncated anywhere is either no picture or recognised with its size', async () => {
  const jpeg = await scene.clone().jpeg().toBuffer();

  for (let length = 0; length < jpeg.length; length++) {
    const facts = await inspect(new Blob([jpeg.subarray(0, length)]), limits);
    const isNone = facts === 'empty' || facts === 'notPicture' || facts === 'cutOff';
    if (!isNone) expect(facts).toMatchObject({ width: 96 });
  }
  expect(await inspect(new Blob([jpeg.subarray(0, 100)]), limits)).toBe('cutOff');
});

test('zooming keeps the place under the pointer, and the picture stays in sight', () => {
  const [picture, frame] = [
    { width: 400, height: 200 },
    { width: 200, height: 200 },
  ];
  const at = { x: 0.25, y: 0.75 };
  const pointOf = (look: typeof firstLook) => {
    const { x, y, scale } = toView(look, picture, frame);
    return [x + at.x * picture.width * scale, y + at.y * picture.height * scale];
  };

  expect(toView(firstLook, picture, frame)).toEqual({ scale: 0.5, x: 0, y: 50 });
  expect(pointOf(zoomBy(firstLook, 2, at))).toEqual(pointOf(firstLook));
  expect(zoomBy(firstLook, 1e9).zoom).toBe(100);
  expect(moveBy(firstLook, 'middle', { x: -1e6, y: 0 }).middle).toEqual({ x: 0, y: 0.5 });
});

test('addresses name a page and a query, and malformed ones cause no error', () => {
  const { path, query } = readRoute('#/analysis/65f1?with=77aa');

  expect([path, query.get('with')]).toEqual([['analysis', '65f1'], '77aa']);
  expect(readRoute('').path).toEqual([]);
  expect(readRoute('#/%E0%A4%A').path).toEqual(['%E0%A4%A']);
});

test('a period includes its last day, and an incomplete date is ignored', () => {
  const whole = Date.parse(dayStart('2026-03-01', 1)!) - Date.parse(dayStart('2026-03-01', 0)!);

  expect(whole).toBe(86_400_000);
  expect(dayStart('2026-03', 0)).toBeUndefined();
  expect(dayStart(undefined, 0)).toBeUndefined();
});

test('names too long for the service are cut between characters', () => {
  expect(toName('photo.jpg')).toBe('photo.jpg');
  expect(Array.from(toName('😀'.repeat(300)))).toHaveLength(255);
  expect(toName('   ')).toBe('picture');
});

test('the queue uploads three at a time, and cancelling drops those waiting', async () => {
  const running: ((state: UploadState) => void)[] = [];
  let over: (() => void)[] = [];
  const queue = createUploadQueue(async ({ onState }) => {
    running.push(onState);
    await new Promise<void>((resolve) => over.push(resolve));
  });
  const wish = { tenantName: 'acme', options: {}, tags: [], projectId: null, limits };
  const files = Array.from({ length: 6 }, (_, at) => new File(['x'], `${at}.jpg`));

  queue.add(files, wish);
  expect(running).toHaveLength(3);
  for (const [at, onState] of running.entries()) onState({ is: 'done', id: String(at) });
  const first = over;
  over = [];
  first[0]!();
  await Promise.resolve();
  await expect.poll(() => running.length).toBe(4);
  queue.cancel();
  queue.clear();

  expect(queue.transfers.map(({ name, state }) => [name, state.is])).toEqual([
    ['3.jpg', 'preparing'],
  ]);
});

test('temporary errors are retried, refusals are not', async () => {
  const answers = [429, 429, 200, 403, 200];
  const ask = async () =>
    persistently(new AbortController().signal, async () => {
      const status = answers.shift()!;
      if (status !== 200) throw new ApiError(status, 'refused', 'No.', 1);
    });

  await ask();
  expect(answers).toEqual([403, 200]);
  await expect(ask()).rejects.toThrow('No.');
  expect(answers).toEqual([200]);
});

test('an error is worded by its code in German, in the words of the server in English', () => {
  const conflict = new ApiError(409, 'conflict', 'This is already on hold.');
  const unknown = new ApiError(418, 'teapot', 'Short and stout.');

  expect(messageOf(conflict, words.en.common)).toBe('This is already on hold.');
  expect(messageOf(conflict, words.de.common)).toBe(
    'Das ist derzeit nicht möglich. Meldung des Servers: „This is already on hold.“',
  );
  expect(messageOf(unknown, words.de.common)).toBe('Short and stout.');
});

test('an outdated link for the first account is not taken for a wrong password', async () => {
  const headers = { 'x-error-code': 'unauthenticated' };
  const refused = new Response('{"message":"No longer valid."}', { status: 401, headers });
  vi.stubGlobal('location', { origin: 'https://forensics.example' });
  vi.stubGlobal('fetch', async () => refused);
  onTestFinished(() => void vi.unstubAllGlobals());
  const error: unknown = await makeFirstUser({}).catch((caught: unknown) => caught);

  expect(messageOf(error, words.en.common)).toBe('No longer valid.');
  expect(messageOf(error, words.de.common)).toMatch(/^Dieser Link gilt nicht mehr\./);
});

test('places marked by all methods keep their numbers; those of a single method follow', () => {
  const box = { left: 0, top: 0, width: 10, height: 10 };
  const measures = { regionLeft: 50, regionTop: 60, regionWidth: 10, regionHeight: 10 };
  const found = { speaksFor: 'fake', strength: 'weak', measures };
  const network = { ...found, method: 'localisation-network' };
  const evidence: Parameters<typeof locate>[0] = JSON.parse(
    JSON.stringify({
      reasons: [{ code: 'manipulation_suspected' }],
      manipulation: { places: [0, 20].map((left) => ({ region: { ...box, left }, methods: [] })) },
      findings: [
        { ...found, method: 'copy-move', measures: { ...measures, otherLeft: 5, otherTop: 6 } },
        { ...network, speaksFor: 'real' },
      ],
    }),
  );

  const located = locate(evidence, true);

  expect(located.map(({ number, isMarked, boxes: [first] }) => [number, isMarked, first])).toEqual([
    [1, true, box],
    [2, true, { ...box, left: 20 }],
    [3, false, { ...box, left: 50, top: 60 }],
    [4, false, { ...box, left: 5, top: 6 }],
  ]);
  expect(numbersOf(locate(evidence, false), 'copy-move')).toEqual([1, 2]);
});

test('a mirrored part is overlaid on the whole picture where both show the same', () => {
  const whole = { width: 400, height: 300 };
  const part = { width: 200, height: 100 };
  const alignment = { isMirrored: true, scale: 0.5, left: 0.25, top: 0.1 };

  expect(layOn(whole, part, alignment)).toBe('translate(300px, 40px) scale(-1, 1)');
  expect(layOn(whole, part, null)).toBe('translate(0px, 50px) scale(2)');
});

test('times are written as in the reports of that language', () => {
  expect(writeTime('2026-03-02T12:04:05Z', 'en')).toMatch(/^2026-03-0[1-3] \d\d:\d\d \S+$/);
  expect(writeTime('2026-03-02T12:04:05Z', 'de')).toMatch(/^0[1-3]\.03\.2026, \d\d:\d\d \S+$/);
  expect(writeTime('never', 'de')).toBe('never');
});

test('an analysis counts as not uploaded until it is started, even if its comment was changed', () => {
  const old = '2026-03-01T12:00:00.000Z';
  const isWaiting = (statusMessage: string, createdDate = old) =>
    isNotStarted({ createdDate, inferenceStatus: { statusMessage } });

  expect(isWaiting(notStarted)).toBe(true);
  expect(isWaiting(notStarted, new Date().toISOString())).toBe(false);
  expect(isWaiting('Waiting for a free instance.')).toBe(false);
});
