import { eq, ne } from 'drizzle-orm';
import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import type { Tier } from '../../../../src/contract/vocabulary.ts';
import { decodePicture } from '../../../../src/image/decode.ts';
import { findFingerprint, packFingerprint } from '../../../../src/image/keypoints.ts';
import type { Metadata } from '../../../../src/image/metadata.ts';
import {
  analyses as rows,
  fingerprintKeys,
  fingerprints,
} from '../../../../src/ports/db/schema.ts';
import { defaultLimits } from '../../../../src/image/picture.ts';
import type { CasePicture } from '../../../../src/present/cases.ts';
import { renderCase } from '../../../../src/service/analyses/cases.ts';
import type { ListQuery } from '../../../../src/service/analyses/rows.ts';
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

interface Details extends Partial<Pick<Metadata, 'exif' | 'xmp' | 'pngText'>> {
  readonly projectId?: string;
  readonly tier?: Tier;
}

const camera = { exif: { BodySerialNumber: '012345678' } };
const document = { xmp: { OriginalDocumentID: 'xmp.did:0f1e2d3c4b5a' } };

const found = new Map<Uint8Array, Promise<Uint8Array>>();

/** Found once for all tests. */
function fingerprintIn(pixels: Uint8Array): Promise<Uint8Array> {
  const known =
    found.get(pixels) ?? decodePicture(pixels).then(findFingerprint).then(packFingerprint);
  found.set(pixels, known);
  return known;
}

async function openSearch() {
  const workshop = await openWorkshop();
  const { sandbox, create, stores, analyses, worker, caller } = workshop;
  /** The sandbox is scripted, but the fingerprints are real. */
  const examine = async (
    name: string,
    pixels: Uint8Array,
    who = caller,
    { projectId = 'claim 4711', tier = 'flagging', ...tags }: Details = {},
  ) => {
    const fingerprint = await fingerprintIn(pixels);
    sandbox.next((request) => {
      const { facts, ...examined } = examinationOf(request);
      const metadata = { ...facts.metadata, ...tags };
      return {
        ...examined,
        facts: { ...facts, metadata },
        ...(request.withFingerprint === true && { fingerprint }),
      };
    });
    const { input } = createRequest();
    const request = { ...createRequest(), name, projectId };
    const made = await create({ ...request, input: { ...input, options: { tier } } }, who);
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
        reasons: ['picture'],
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

  test('are in the report of a case only if they were sent earlier; an unfinished upload is told apart', async () => {
    const { examine, create, db, stores, caller, sandbox, clock } = await openSearch();
    const first = await examine('The original', original);
    clock.step(1000);
    const second = await examine('A copy', copy);
    const third = await create({ ...createRequest(), projectId: 'claim 4711' });
    const reported: CasePicture[] = [];
    const drawing = {
      ...sandbox,
      preparePage: () => Promise.reject(new TypeError('These pictures have no pages.')),
      renderCase: async ({ report }: { report: { pictures: readonly CasePicture[] } }) => {
        reported.push(...report.pictures);
        return { en: new Uint8Array() };
      },
    };
    const parts = { db, stores, sandbox: drawing, limits: defaultLimits };
    const which = { tenantId: caller.tenant.id, projectId: 'claim 4711' };
    const how = { language: 'en', extras: {}, madeAt: new Date() } as const;
    await renderCase({ ...parts, trustList: null, validation: null }, which, {
      ...how,
      inTurn: (act) => act(),
    });

    const seen = new Map(reported.map(({ analysisId, seenBefore }) => [analysisId, seenBefore]));
    expect(seen.get(first)).toEqual([]);
    expect(seen.get(second)).toMatchObject([{ id: first }]);
    const open = reported.filter(({ isStarted }) => !isStarted);
    expect(open.map(({ analysisId }) => analysisId)).toEqual([third.id]);
  });

  test('need to share only one key', async () => {
    const { examine, analyses, caller, db } = await openSearch();
    const first = await examine('The original', original);
    const second = await examine('A copy', copy);
    const keys = (await db.select().from(fingerprintKeys).all()).map(({ key }) => key);
    const shared = keys.find((key, at) => keys.indexOf(key) < at)!;
    await db.delete(fingerprintKeys).where(ne(fingerprintKeys.key, shared)).run();

    expect(await analyses.seenBefore(caller, second)).toMatchObject([{ id: first }]);
  });

  test('are shown beside it in its report while their originals are stored', async () => {
    const { examine, stores, caller, db, sandbox, clock } = await openSearch();
    const first = await examine('The original', original);
    const besideIn = async (name: string) => {
      clock.step(1000);
      await examine(name, copy, caller, { tier: 'forensicReporting' });
      return sandbox.rendered.at(-1)?.item.beside?.find(({ id }) => id === first);
    };

    const jpeg = Buffer.from('both').toString('base64');
    expect(await besideIn('A copy')).toEqual({ id: first, jpeg, differing: 1 });
    const row = await db.select().from(rows).where(eq(rows.id, first)).get();
    const { store } = await stores.current(caller.tenant.id);
    await store.delete(row!.evidenceKey!);
    expect(await besideIn('Another copy')).toEqual({ id: first, jpeg: null, differing: 0 });
  });

  test('of another tenant are not found', async () => {
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

  test.each([
    ['camera', camera],
    ['document', document],
    ['settings', { pngText: { parameters: 'a harbour at dawn, Steps: 20, Seed: 1234567890' } }],
  ] as const)('are found by the same %s in their metadata', async (reason, tags) => {
    const { examine, analyses, caller, db } = await openSearch();
    const first = await examine('Earlier', original, caller, { ...tags, projectId: 'claim 1' });
    const second = await examine('Later', other, caller, { ...tags, projectId: 'claim 2' });

    expect(await analyses.seenBefore(caller, second)).toMatchObject([
      { id: first, projectId: 'claim 1', reasons: [reason], alignment: null, likeness: null },
    ]);

    await analyses.remove(caller, first);
    await analyses.remove(caller, second);
    expect(await db.select().from(fingerprintKeys).all()).toEqual([]);
  });

  test('of one case and one camera are not listed, but counted', async () => {
    const { examine, analyses, caller } = await openSearch();
    await examine('One', original, caller, camera);
    const second = await examine('Two', other, caller, camera);
    await examine('Elsewhere', original, caller, { ...camera, projectId: 'claim 4712' });

    expect(await analyses.seenBefore(caller, second)).toMatchObject([{ name: 'Elsewhere' }]);
    const of = async (query: ListQuery) => (await analyses.list(caller, query)).ofOneCamera;
    expect(await of({ projectId: 'claim 4711' })).toBe(2);
    expect(await of({ projectId: 'claim 4712' })).toBe(0);
    expect(await of({})).toBeNull();
  });

  test('are listed before those that only share a document id or a camera, however many', async () => {
    const { examine, analyses, caller } = await openSearch();
    for (let n = 0; n < 20; n++) await examine(`Camera ${n}`, other, caller, camera);
    await examine('Document', other, caller, document);
    await examine('The original', original);
    const elsewhere = { ...camera, ...document, projectId: 'claim 2' };
    const last = await examine('A copy', copy, caller, elsewhere);

    const listed = await analyses.seenBefore(caller, last);

    const [first, second, ...rest] = listed.map(({ name }) => name);
    expect([first, second]).toEqual(['The original', 'Document']);
    // All were created at the same moment, so their order is the database's.
    expect(rest).toHaveLength(18);
    expect(rest.every((name) => name?.startsWith('Camera'))).toBe(true);
  });

  test('are not searched for if the tenant has turned that off', async () => {
    const { examine, analyses, caller, tenants, db } = await openSearch();
    await tenants.update(caller.tenant.id, { seenBefore: false });
    await examine('The original', original);

    expect(await analyses.seenBefore(caller, await examine('A copy', copy))).toEqual([]);
    expect(await db.select().from(fingerprints).all()).toEqual([]);
  });

  test('are found without a key that too many pictures share', async () => {
    const { examine, analyses, caller, db } = await openSearch();
    const first = await examine('The original', original);
    const stored = await db.select().from(fingerprintKeys).all();
    // As if a logo were on more pictures than are compared: the first one is still found by its other keys.
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
