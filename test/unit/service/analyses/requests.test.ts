import { describe, expect, test } from 'vitest';
import { createRequest, openWorkshop } from './workshop.ts';
import { refusal } from '../../../fixtures/refusal.ts';

const input = (change: object) => ({ input: { ...createRequest().input, ...change } });

describe('create', () => {
  test('fills in the defaults and ignores storage URLs of the client', async () => {
    const { create, caller } = await openWorkshop();

    const analysis = await create(input({ storageUrls: { objectKey: '../../etc/passwd' } }));

    expect(analysis).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{24}$/),
      tenantId: caller.tenant.id,
      projectId: null,
      name: 'A photograph',
      storageType: 's3',
      type: 'image',
      input: {
        format: 'jpg',
        version: 'v1',
        width: 96,
        height: 80,
        filename: 'photo.jpg',
        storageUrls: {
          type: 's3',
          objectKey: `analyses/${analysis.id}/input.jpg`,
          putUrl: expect.stringContaining('signature='),
          getUrl: expect.stringContaining('signature='),
          deleteUrl: expect.stringContaining('signature='),
          expiresAt: '2026-03-08T12:00:00.000Z',
        },
        options: { model: 'trace-3', decisionStrategy: 'default', tier: 'flagging', seed: 1337 },
      },
      inferenceStatus: {
        type: 'image',
        version: '2.0.0',
        status: 'pending',
        statusMessage: expect.stringContaining('upload'),
        retryCount: 0,
        processingStartTime: null,
        processingFinishTime: null,
      },
      comment: '',
      tags: [],
      caseData: null,
      createdDate: '2026-03-01T12:00:00.000Z',
      updatedDate: null,
      deletedDate: null,
      createdByUserId: caller.principal.id,
      lastChangedByUserType: 'api',
      lastChangedByUserId: caller.principal.id,
      lastChangedByUserName: null,
      tierUpgradedFrom: null,
      tierUpgradedAt: null,
    });
  });

  test('keeps its input exactly', async () => {
    const { create, analyses, caller } = await openWorkshop();
    const given = {
      name: `😀${'ä'.repeat(254)}`,
      comment: `"; DROP TABLE analyses; --\n\u0000${'x'.repeat(470)}`,
      tags: ['a', '', 'a', '"]'],
      projectId: 'p1',
      ...input({
        filename: '../../etc/passwd\n.jpg',
        format: 'png',
        width: 65,
        height: 4096,
        options: { model: 'acme-trace', decisionStrategy: 'pedantic', seed: -5 },
      }),
    };

    const { id } = await create(given);

    const analysis = await analyses.get(caller, id);
    expect(analysis).toMatchObject({
      ...given,
      input: {
        ...given.input,
        options: { model: 'acme-trace', decisionStrategy: 'pedantic', tier: 'flagging', seed: -5 },
      },
      inferenceStatus: { version: '1.0.0' },
    });
    expect(analysis.input.storageUrls.objectKey).toBe(`analyses/${id}/input.png`);
  });

  test.each([
    ['options that are missing', input({ options: undefined })],
    ['options that are a list', input({ options: [] })],
    ['an unknown option', input({ options: { tiers: 'flagging' } })],
    ['an option of the prototype', input({ options: JSON.parse('{"__proto__": 1}') })],
    ['an unknown tier', input({ options: { tier: 'gold' } })],
    ['an unknown strategy', input({ options: { decisionStrategy: 'Default' } })],
    ['a seed that is a text', input({ options: { seed: '1' } })],
    ['a seed that is not whole', input({ options: { seed: 0.5 } })],
    ['a seed that is null', input({ options: { seed: null } })],
    ['a model that is a number', input({ options: { model: 1 } })],
  ])('refuses %s', async (_, change) => {
    const { create, analyses, caller } = await openWorkshop();

    await expect(create(change)).rejects.toMatchObject({ code: 'invalid_request', status: 400 });
    expect((await analyses.list(caller, {})).totalCount).toBe(0);
  });

  test('refuses an unknown model and names the known ones', async () => {
    const { create } = await openWorkshop();

    await expect(create(input({ options: { model: 'constructor' } }))).rejects.toMatchObject({
      code: 'model_not_found',
      status: 400,
      message: expect.stringContaining('trace-3, acme-trace'),
    });
  });
});

test.each([
  ['no options', undefined],
  ['options that are null', null],
  ['an unknown option', { tier: 'forensicReporting', name: 'x' }],
  ['an unknown tier', { tier: 'gold' }],
])('retry refuses %s before it checks the state', async (_, options) => {
  const { start, analyses, caller } = await openWorkshop();
  const id = await start();

  await expect(analyses.retry(caller, { id, options })).rejects.toEqual(refusal('invalid_request'));
});

/** Five analyses, a second apart. */
async function openFilled() {
  const workshop = await openWorkshop();
  const { create, clock } = workshop;
  const names = ['Ärger am Bau', 'Straße', '100% echt', 'under_score', 'plain'];
  for (const name of names) {
    await create({ name, comment: name === 'plain' ? 'Schöne GRÜSSE' : '' });
    clock.step(1000);
  }
  return { ...workshop, names };
}

describe('list', () => {
  test('is sorted newest first, then by id', async () => {
    const { create, analyses, caller, names } = await openFilled();
    const twins = [await create(), await create(), await create()].map(({ id }) => id);

    const page = await analyses.list(caller, {});

    expect(page.analyses.slice(0, 3).map(({ id }) => id)).toEqual(twins.toSorted());
    expect(page.analyses.slice(3).map(({ name }) => name)).toEqual(names.toReversed());
  });

  test('pages with an exclusive end, its own total, and the count of all matches', async () => {
    const { analyses, caller, names } = await openFilled();

    const page = await analyses.list(caller, { start: 1, limit: 2 });
    const beyond = await analyses.list(caller, { start: 7, limit: 2 });

    expect(page).toMatchObject({ startIndex: 1, endIndex: 3, total: 2, totalCount: 5 });
    expect(page.analyses.map(({ name }) => name)).toEqual(names.toReversed().slice(1, 3));
    expect(beyond).toEqual({
      analyses: [],
      startIndex: 7,
      endIndex: 7,
      total: 0,
      totalCount: 5,
      ofOneCamera: null,
    });
  });
});
