import { afterAll, expect, test } from 'vitest';
import { findCopies } from '../../../src/detectors/copy-move/copy-move.ts';
import { describeSurroundings } from '../../../src/detectors/copy-move/descriptors.ts';
import { workingPicture } from '../../../src/detectors/copy-move/features.ts';
import { readChanges } from '../../../src/engine/localisation.ts';
import { loadLocateModel } from '../../../src/inference/networks.ts';
import { createRegistry } from '../../../src/inference/registry.ts';
import { loadRuntime } from '../../../src/inference/runtime.ts';
import { startLocatorThread } from '../../../src/examiner/locator-thread.ts';
import { scenePicture } from '../engine/fixtures.ts';

const thread = startLocatorThread();
const verified = await createRegistry().openLocator();
const inThread = thread.open(verified);
const here = await loadLocateModel(verified, await loadRuntime());
afterAll(() => Promise.all([inThread.release(), here.release()]));

test('the network gives identical results in its own thread, and leaves the picture unchanged', async () => {
  const picture = await scenePicture(200, 136);
  const before = picture.rgb.slice();

  const found = await readChanges(picture, inThread);

  expect(picture.rgb).toStrictEqual(before);
  expect(found).toStrictEqual(await readChanges(picture, here));
});

test('the event loop keeps running while the network runs', async () => {
  const picture = await scenePicture(400, 300);
  let turns = 0;
  let isFound = false;
  const turn = (): void => {
    turns++;
    if (!isFound) setImmediate(turn);
  };
  turn();

  await readChanges(picture, inThread);
  isFound = true;

  expect(turns).toBeGreaterThan(1000);
});

test('after an error the network can process the next picture', async () => {
  const empty = { rgb: new Uint8Array(0), width: 0, height: 0 };

  await expect(inThread.locate(empty, null)).rejects.toThrow();

  const { columns, rows } = await inThread.locate(
    { rgb: new Uint8Array(3 * 64 * 64), width: 64, height: 64 },
    null,
  );
  expect([columns, rows]).toEqual([16, 16]);
});

test('the thread finds the same copies as the method, even while it is busy', async () => {
  const { facts, rgb, luma, clues } = await scenePicture(200, 136);
  // Copies the left half to the right.
  const row = 3 * facts.width;
  const copied = rgb.map((_, at) => rgb[at % row < row / 2 ? at : at - row / 2]!);
  const picture = { facts, rgb: copied, luma, clues };

  const asked = readChanges(picture, inThread);
  const found = await thread.findCopies(workingPicture(picture), facts);
  const described = describeSurroundings(workingPicture(picture));
  const foundFromThem = await thread.findCopies(workingPicture(picture), facts, described);

  expect(found).toStrictEqual(findCopies(workingPicture(picture), facts));
  expect(foundFromThem).toStrictEqual(found);
  expect(found).toMatchObject({ finding: { statement: { code: 'copies' } } });
  expect(await asked).toStrictEqual(await readChanges(picture, here));
});
