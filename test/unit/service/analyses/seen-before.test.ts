import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { decodePicture } from '../../../../src/image/decode.ts';
import { findFingerprint, packFingerprint } from '../../../../src/image/keypoints.ts';
import { fingerprintKeys, fingerprints } from '../../../../src/ports/db/schema.ts';
import { scenePng } from '../../../fixtures/pictures.ts';
import { examinationOf } from './scripted-sandbox.ts';
import { createRequest, openWorkshop, picture } from './workshop.ts';

const original = await scenePng({ width: 800, height: 600, seed: 11 });
const copy = await sharp(original)
  .extract({ left: 100, top: 60, width: 600, height: 480 })
  .flop()
  .jpeg({ quality: 60 })
  .toBuffer();
const other = await scenePng({ width: 800, height: 600, seed: 12 });

async function openSearch() {
  const workshop = await openWorkshop();
  const { sandbox, create, stores, analyses, worker, caller } = workshop;
  /** The sandbox is scripted; what a picture is recognised by is real. */
  const examine = async (name: string, pixels: Uint8Array, who = caller) => {
    const fingerprint = packFingerprint(await findFingerprint(await decodePicture(pixels)));
    sandbox.next((request) => ({
      ...examinationOf(request),
      ...(request.withFingerprint === true && { fingerprint }),
    }));
    const made = await create({ ...createRequest(), name, projectId: 'claim 4711' }, who);
    const { store } = await stores.current(who.tenant.id);
    await store.put(made.input.storageUrls.objectKey, picture);
    await analyses.start(who, made.id);
    await worker.drain();
    return made.id;
  };
  return { ...workshop, examine };
}

describe('pictures seen before', () => {
  test('are found in any order, mirrored and cropped, and other pictures are not', async () => {
    const { examine, analyses, caller } = await openSearch();
    const first = await examine('The original', original);
    await examine('Another', other);
    const second = await examine('A copy', copy);

    expect(await analyses.seenBefore(caller, second)).toEqual([
      {
        id: first,
        name: 'The original',
        projectId: 'claim 4711',
        createdDate: expect.any(String),
        alignment: {
          isMirrored: true,
          scale: expect.closeTo(0.75, 1),
          left: expect.closeTo(0.125, 1),
          top: expect.closeTo(0.075, 1),
        },
        likeness: expect.any(Number),
      },
    ]);
    expect(await analyses.seenBefore(caller, first)).toMatchObject([{ id: second }]);
  });

  test('of another tenant stay unknown', async () => {
    const { examine, analyses, caller, openTenant } = await openSearch();
    const foreign = await openTenant('umbrella');
    await examine('Theirs', original, foreign);

    expect(await analyses.seenBefore(caller, await examine('Ours', copy))).toEqual([]);
  });

  test('are forgotten with their analysis', async () => {
    const { examine, analyses, caller, db } = await openSearch();
    const first = await examine('The original', original);
    const second = await examine('A copy', copy);

    await analyses.remove(caller, first);
    expect(await analyses.seenBefore(caller, second)).toEqual([]);

    await analyses.remove(caller, second);
    expect(await db.select().from(fingerprints).all()).toEqual([]);
    expect(await db.select().from(fingerprintKeys).all()).toEqual([]);
  });

  test('are not looked for where the tenant does not want it', async () => {
    const { examine, analyses, caller, tenants, db } = await openSearch();
    await tenants.update(caller.tenant.id, { seenBefore: false });
    await examine('The original', original);

    expect(await analyses.seenBefore(caller, await examine('A copy', copy))).toEqual([]);
    expect(await db.select().from(fingerprints).all()).toEqual([]);
  });

  test('a key that many pictures share is not counted', async () => {
    const { examine, analyses, caller, db } = await openSearch();
    const first = await examine('The original', original);
    const stored = await db.select().from(fingerprintKeys).all();
    // As if a logo were on more pictures than are looked at: those of the first one are still found by their other keys.
    const crowd = stored
      .slice(0, 20)
      .flatMap(({ key }) =>
        Array.from({ length: 300 }, (_, n) => ({ key, fingerprint: 1000 + n })),
      );
    for (let at = 0; at < crowd.length; at += 1000) {
      await db
        .insert(fingerprintKeys)
        .values(crowd.slice(at, at + 1000))
        .run();
    }
    const second = await examine('A copy', copy);

    expect(await analyses.seenBefore(caller, second)).toMatchObject([{ id: first }]);
    const keys = await db.select().from(fingerprintKeys).all();
    expect(keys.filter(({ key }) => key === stored[0]!.key)).toHaveLength(301);
  });
});
