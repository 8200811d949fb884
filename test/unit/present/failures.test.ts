import { expect, test } from 'vitest';
import { openSource, toFileFailure } from '../../../src/cli/analyze/inputs.ts';
import { toReadFailure } from '../../../src/ports/files/files.ts';
import { checkSizeBytes, openContainer } from '../../../src/image/container.ts';
import { decodePicture } from '../../../src/image/decode.ts';
import { defaultLimits, localLimits } from '../../../src/image/picture.ts';
import { writeFailure } from '../../../src/present/failures.ts';
import { ForensicsError } from '../../../src/contract/errors.ts';
import { sceneJpeg, scenePng } from '../../fixtures/pictures.ts';
import { pngOfSize } from '../../fixtures/png-chunks.ts';

const jpeg = await sceneJpeg({ width: 100, height: 80, seed: 1 });
const png = await scenePng({ width: 100, height: 80, seed: 1 });
const open = (bytes: Uint8Array) => openContainer(bytes, localLimits);

test.each<readonly [german: string | RegExp, act: () => unknown]>([
  ['Die Datei ist leer: Sie hat 0 Byte.', () => open(Buffer.alloc(0))],
  [
    'Die Datei ist 300 MB groß; untersucht werden höchstens 250 MB.',
    () => checkSizeBytes(300_000_000, localLimits),
  ],
  [
    'Das Bild hat 64 × 64 Pixel; jede Kantenlänge muss 65 bis 20.000 Pixel betragen.',
    () => open(pngOfSize(64, 64)),
  ],
  [
    'Das Bild hat 19.000 × 19.000 Pixel; untersucht werden höchstens 100 Megapixel. Verkleinern Sie eine Kopie auf diese Größe und untersuchen Sie sie; bewahren Sie das Original auf.',
    () => open(pngOfSize(19_000, 19_000)),
  ],
  [
    /^Das ist ein Bild im Format GIF; dieser Server nimmt nur JPEG und PNG an\. .* intake/,
    () => openContainer(Buffer.from('GIF89a'), defaultLimits),
  ],
  [/^Das ist ein Video; /, () => open(Buffer.from('\0\0\0\x18ftypisom'))],
  [
    /^Das ist ein ZIP-Archiv .* Holen Sie die Bilder heraus/,
    () => open(Buffer.from('PK\u0003\u0004')),
  ],
  [/^Das ist ein PDF-Dokument und .* Wählen Sie ein Bild\.$/, () => open(Buffer.from('%PDF-1.7'))],
  [/^Die PNG-Datei ist unvollständig/, () => open(png.subarray(0, 30))],
  [/^Die JPEG-Datei ist unvollständig/, () => open(jpeg.subarray(0, 300))],
  [/^Die PNG-Datei ist beschädigt/, () => open(withByte(png, 20))],
  [
    /^Die JPEG-Datei ist abgeschnitten oder beschädigt: .* nur die ersten \d+ % unbeschädigt/,
    () => decodePicture(jpeg.subarray(0, jpeg.length >> 1), { limits: localLimits }),
  ],
  ['Diese Datei gibt es nicht.', () => openSource(inputOf('/no/such/file.jpg'))],
  [
    'Das ist ein Ordner; mit --recursive werden die Bilder darin untersucht.',
    () => Promise.reject(toFileFailure(system('EISDIR'))),
  ],
  [
    /^Diese Datei lässt sich nicht lesen \(EIO\)/,
    () => Promise.reject(toReadFailure(system('EIO'))),
  ],
])('%s', async (german, act) => {
  const failure = await thrownBy(act);

  const text = writeFailure(failure, 'de');

  if (typeof german === 'string') expect(text).toBe(german);
  else expect(text).toMatch(german);
  expect(writeFailure(failure, 'en')).toBe(failure.message);
});

test('a failure without a known reason stays in English', () => {
  const message = 'Something else.';

  expect(writeFailure({ message }, 'de')).toBe(message);
  expect(writeFailure({ message, reason: { code: 'newer', values: {} } }, 'de')).toBe(message);
});

async function thrownBy(act: () => unknown): Promise<ForensicsError> {
  try {
    await act();
  } catch (error) {
    if (error instanceof ForensicsError) return error;
  }
  throw new Error('no failure was thrown');
}

function inputOf(path: string) {
  return { label: path, path, failure: null };
}

function system(code: string): Error {
  return Object.assign(new Error(code), { code, syscall: 'read' });
}

/** Complete by its markers, but most of the scan is missing. */
function withByte(file: Buffer, at: number): Buffer {
  const changed = Buffer.from(file);
  changed[at] = changed[at]! ^ 0xff;
  return changed;
}
