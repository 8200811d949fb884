import { describe, expect, test } from 'vitest';
import { thumbnails } from '../../../../src/ports/db/schema.ts';
import { logOf } from '../audit/log-of.ts';
import { examinationOf } from './scripted-sandbox.ts';
import { createRequest, openWorkshop } from './workshop.ts';

describe('the description of an analysis', () => {
  test('can be changed in any state, and what is left out stays', async () => {
    const { analyses, caller, complete } = await openWorkshop();
    const id = await complete();

    await analyses.describe(caller, id, { comment: 'Left mirror', tags: ['car'] });
    const changed = await analyses.describe(caller, id, { projectId: '4711' });

    expect(changed).toMatchObject({ comment: 'Left mirror', tags: ['car'], projectId: '4711' });
    expect(changed.inferenceStatus.status).toBe('completed');
    const { analyses: found } = await analyses.list(caller, { searchTerm: 'left MIRROR' });
    expect(found.map((each) => each.id)).toEqual([id]);
  });

  test('stays unchanged, with its date and in the log, if what is sent is what it has', async () => {
    const { analyses, caller, create, db } = await openWorkshop();
    const { id } = await create({ ...createRequest(), comment: 'Dent', tags: ['car'] });

    const same = await analyses.describe(caller, id, { comment: 'Dent', tags: ['car'] });
    const other = await analyses.describe(caller, id, { comment: 'Dent', tags: ['car', 'red'] });

    expect(same.updatedDate).toBeNull();
    expect(other.updatedDate).not.toBeNull();
    const [, ...log] = await logOf(db, { chain: caller.tenant.id, subject: id });
    expect(log.map(([, ...entry]) => entry)).toEqual([
      ['analysis.described', { fields: ['tags'] }],
    ]);
  });

  test('has its case, exhibit and examiner in the report', async () => {
    const { analyses, caller, create, upload, worker, sandbox } = await openWorkshop();
    const { input, ...rest } = createRequest();
    const options = { tier: 'forensicReporting' } as const;
    const made = await create({
      ...rest,
      input: { ...input, options },
      projectId: '4711',
      caseData: { exhibit: '3' },
    });
    const caseData = { exhibit: '3', examiner: 'Ada Berg' };
    const { caseData: described } = await analyses.describe(caller, made.id, { caseData });
    await upload(made);
    await analyses.start(caller, made.id);
    await worker.drain();

    expect(made.caseData).toEqual({ exhibit: '3' });
    expect(described).toEqual(caseData);
    expect(sandbox.rendered[0]!.item.caseData).toEqual({ caseNumber: '4711', ...caseData });
  });

  test('is searched for case, exhibit, examiner and tags, also after a change', async () => {
    const { analyses, caller, create } = await openWorkshop();
    const caseData = { exhibit: 'Bild 3a', examiner: 'Ärztin Öhm' };
    const described = {
      projectId: 'CLAIM-4711',
      caseData,
      tags: ['hail', 'roof'],
      comment: 'Dent',
    };
    const { id } = await create({ ...createRequest(), ...described });
    await create();
    const find = async (searchTerm: string) =>
      (await analyses.list(caller, { searchTerm })).analyses.map((each) => each.id);

    for (const term of ['4711', 'claim-47', 'bild 3A', 'ärztin öhm', 'ROOF', 'dent']) {
      expect(await find(term)).toEqual([id]);
    }
    expect(await find('hailroof')).toEqual([]);
    await analyses.describe(caller, id, { projectId: null, tags: ['storm'] });
    expect(await find('4711')).toEqual([]);
    expect(await find('hail')).toEqual([]);
    for (const term of ['storm', 'bild 3a', 'dent']) expect(await find(term)).toEqual([id]);
  });
});

describe('thumbnails', () => {
  const jpeg = Buffer.from('a small picture');

  test('are returned only to their tenant, and are deleted with their analysis', async () => {
    const { analyses, caller, sandbox, complete, openTenant, db } = await openWorkshop();
    sandbox.next((request) => ({ ...examinationOf(request), thumbnail: jpeg }));
    const id = await complete();
    const without = await complete();
    const foreign = await openTenant('umbrella');

    expect(sandbox.examined[0]).toMatchObject({ withThumbnail: true });
    expect(await analyses.thumbnails(caller, [id, without, 'unknown'])).toEqual([
      { id, jpeg: jpeg.toString('base64') },
    ]);
    expect(await analyses.thumbnails(foreign, [id])).toEqual([]);

    await analyses.remove(caller, id);
    expect(await analyses.thumbnails(caller, [id])).toEqual([]);
    expect(await db.select().from(thumbnails).all()).toEqual([]);
  });
});
