import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { setRequester } from '../../../../src/ports/db/database.ts';
import { testDb } from './temporary.ts';

test('a requester with many statements leaves connections for others', async () => {
  const db = await testDb();
  const ended: string[] = [];
  const ask = async (name: string, seconds: number) =>
    setRequester(name, async () => {
      await db.values(sql`SELECT 1 FROM pg_sleep(${seconds})`);
      ended.push(name);
    });

  const loud = Array.from({ length: 20 }, async () => ask('loud', 0.1));
  await Promise.all([...loud, ask('quiet', 0)]);

  // Unshared, all ten connections would serve the other requester first.
  expect(ended.indexOf('quiet')).toBeLessThan(7);
  expect(ended).toHaveLength(21);
});

test('requesters that wait for a connection take turns', async () => {
  const db = await testDb();
  const ended: string[] = [];
  const ask = async (name: string) =>
    setRequester(name, async () => {
      await db.values(sql`SELECT 1 FROM pg_sleep(0.05)`);
      ended.push(name);
    });
  const many = (name: string, count: number) =>
    Array.from({ length: count }, async () => ask(name));

  await Promise.all(['a', 'b', 'c', 'd'].flatMap((name) => [...many(name, 12), ask('last')]));

  // In order of arrival the last would be number 52.
  expect(ended.lastIndexOf('last')).toBeLessThan(30);
});
