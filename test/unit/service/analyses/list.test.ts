import { expect, test } from 'vitest';
import { resultClasses } from '../../../../src/contract/vocabulary.ts';
import type { ListQuery } from '../../../../src/service/analyses/rows.ts';
import { addForensicTenant } from '../../../../bin/bench/forensic-tenant.ts';
import { openWorkshop } from './workshop.ts';

async function openLarge(listed: number) {
  const { db, configs, clock, caller, analyses } = await openWorkshop();
  const parts = { db, configs, now: clock.now };
  const tenant = await addForensicTenant(parts, { name: 'large', config: null, listed });
  return { list: (query: ListQuery = {}) => analyses.list({ ...caller, tenant }, query) };
}

test('a page has at most 1,000 analyses, whatever the limit, and says how many there are', async () => {
  const { list } = await openLarge(1010);

  const pages = [await list({ limit: 10_000 }), await list()];

  for (const page of pages) {
    expect(page).toMatchObject({ total: 1000, startIndex: 0, endIndex: 1000, totalCount: 1010 });
    expect(page.analyses).toHaveLength(1000);
  }
});

test('signing a long page does not block the event loop', async () => {
  const { list } = await openLarge(300);
  let turns = 0;
  let next = setImmediate(function turn() {
    turns += 1;
    next = setImmediate(turn);
  });

  const { total } = await list();
  clearImmediate(next);

  expect(total).toBe(300);
  expect(turns).toBeGreaterThanOrEqual(10);
});

test('a list can be filtered by status, tag, case, period and result, alone and together', async () => {
  const { analyses, caller, clock, create } = await openWorkshop();
  const make = (name: string, tags: readonly string[], projectId: string | null = null) => {
    clock.step(3_600_000);
    return create({ name, tags, projectId });
  };
  const first = await make('first', ['claims', 'May']);
  const second = await make('second', ['claims'], '4711');
  const third = await make('third', ['claim'], '4712');
  const named = async (query: object) =>
    (await analyses.list(caller, query)).analyses.map(({ name }) => name);

  expect(await named({ tag: 'claims' })).toEqual(['second', 'first']);
  expect(await named({ tag: 'cl_ims' })).toEqual([]);
  expect(await named({ projectId: '4711' })).toEqual(['second']);
  expect(await named({ createdFrom: second.createdDate })).toEqual(['third', 'second']);
  expect(await named({ createdTo: second.createdDate })).toEqual(['first']);
  expect(await named({ tag: 'claims', createdFrom: second.createdDate })).toEqual(['second']);
  expect(await named({ status: 'pending', searchTerm: 'ir' })).toEqual(['third', 'first']);
  expect(await named({ status: 'completed' })).toEqual([]);
  expect(await named({ verdict: 'real' })).toEqual([]);
  expect([first, third].map(({ tags }) => tags)).toEqual([['claims', 'May'], ['claim']]);
});

test('a list of one result has only that result and counts it', async () => {
  const { list } = await openLarge(40);

  const all = await list();
  const perVerdict = await Promise.all(resultClasses.map((verdict) => list({ verdict })));

  expect(all.totalCount).toBe(40);
  for (const [number, page] of perVerdict.entries()) {
    const found = page.analyses.map(({ inferenceStatus }) => inferenceStatus.result?.resultClass);
    expect(new Set(found)).toEqual(new Set(found.length === 0 ? [] : [number]));
    expect(page.totalCount).toBe(found.length);
  }
  const counts = perVerdict.map(({ totalCount }) => totalCount);
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(40);
});
