import { expect, test } from 'vitest';
import type { Caller } from '../../../../src/service/analyses/context.ts';
import { openPeople } from '../access/people.ts';
import { openWorkshop } from './workshop.ts';

/** A workshop with a user called Ada Süß, who may act for its tenant. */
async function openWithAda() {
  const workshop = await openWorkshop();
  const { db, clock, caller } = workshop;
  const { users, makeUser } = await openPeople({ db, clock });
  const ada = await makeUser('ada@example.com', { name: 'Ada Süß' });
  const asUser = (id: string): Caller => ({
    ...caller,
    principal: { ...caller.principal, type: 'user', id },
  });
  return { ...workshop, users, ada, asUser, asAda: asUser(ada.id) };
}

test('reads name the last person to change it by their current name', async () => {
  const { create, analyses, asAda, ada, users } = await openWithAda();
  const made = await create({}, asAda);
  const read = async () => {
    const one = await analyses.get(asAda, made.id);
    const { analyses: listed } = await analyses.list(asAda, {});
    expect(listed).toEqual([one]);
    return one;
  };

  const before = await read();
  await users.update(ada.id, { name: 'Ada King' });
  const after = await read();
  await users.update(ada.id, { name: null });

  const audit = {
    createdByUserId: ada.id,
    lastChangedByUserType: 'user',
    lastChangedByUserId: ada.id,
  };
  expect(made).toMatchObject({ ...audit, lastChangedByUserName: null });
  expect(before).toMatchObject({ ...audit, lastChangedByUserName: 'Ada Süß' });
  expect(after).toEqual({ ...before, lastChangedByUserName: 'Ada King' });
  expect(await read()).toEqual({ ...before, lastChangedByUserName: null });
});

test('the actor changes with every act, the creator never', async () => {
  const { create, upload, analyses, caller, worker, asAda, ada } = await openWithAda();
  const made = await upload(await create({}, asAda));
  const actor = async () => {
    const one = await analyses.get(caller, made.id);
    expect(one.createdByUserId).toBe(ada.id);
    return [one.lastChangedByUserType, one.lastChangedByUserId, one.lastChangedByUserName];
  };

  await analyses.start(caller, made.id);
  expect(await actor()).toEqual(['api', caller.principal.id, null]);
  await worker.drain();
  expect(await actor()).toEqual(['system', null, null]);
  const options = { tier: 'forensicReporting' };
  const upgraded = await analyses.retry(asAda, { id: made.id, options });
  expect(upgraded).toMatchObject({ lastChangedByUserId: ada.id, lastChangedByUserName: null });
  expect(await actor()).toEqual(['user', ada.id, 'Ada Süß']);
});

test('an unknown user has no name, and neither has a key, whatever its id', async () => {
  const { create, analyses, caller, asUser, ada } = await openWithAda();
  await create({}, asUser('f'.repeat(24)));
  await create({}, { ...caller, principal: { ...caller.principal, id: ada.id } });

  const { analyses: listed } = await analyses.list(caller, {});

  expect(listed.map(({ lastChangedByUserName }) => lastChangedByUserName)).toEqual([null, null]);
});
