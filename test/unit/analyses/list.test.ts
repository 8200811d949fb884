import { expect, test } from 'vitest';
import { addForensicTenant } from '../../bench/forensic-tenant.ts';
import { openWorkshop } from './workshop.ts';

async function openLarge(listed: number) {
  const { db, configs, clock, caller, analyses } = await openWorkshop();
  const parts = { db, configs, now: clock.now };
  const tenant = await addForensicTenant(parts, { name: 'large', config: null, listed });
  return { list: (limit?: number) => analyses.list({ ...caller, tenant }, limit ? { limit } : {}) };
}

test('a page holds at most 1,000 analyses, whatever is asked for, and tells how many there are', async () => {
  const { list } = await openLarge(1010);

  const pages = [await list(10_000), await list()];

  for (const page of pages) {
    expect(page).toMatchObject({ total: 1000, startIndex: 0, endIndex: 1000, totalCount: 1010 });
    expect(page.analyses).toHaveLength(1000);
  }
});

test('a long page lets others have their turns while it is signed', async () => {
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
