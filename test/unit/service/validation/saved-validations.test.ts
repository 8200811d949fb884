import { readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { newFolder } from '../../../fixtures/folder.ts';
import {
  citedValidation,
  openValidations,
} from '../../../../src/service/validation/saved-validations.ts';
import { createRegistry } from '../../../../src/inference/registry.ts';
import { makeValidation } from '../../../../src/service/validation/record.ts';
import { outcomes } from './outcomes.ts';
import { refusal } from '../../../fixtures/refusal.ts';

const one = 'a'.repeat(24);
const other = 'b'.repeat(24);
const notFound = expect.objectContaining({ code: 'validation_not_found' });

let dataDir: string;
beforeEach(() => {
  dataDir = newFolder();
});

function validation(id: string, day = 1) {
  const files = { found: 3, repeated: 0, failed: 0 };
  return makeValidation({
    id,
    createdAt: new Date(Date.UTC(2026, 0, day)),
    seed: 1,
    files: { real: files, fake: files, inBoth: 0 },
    measured: [...outcomes(3, { isFake: false }), ...outcomes(3, { isFake: true })],
  });
}

describe('the store', () => {
  test('returns what was saved, readable only by the owner of the folder', () => {
    const store = openValidations({ dataDir });
    store.save(validation(one));

    const file = join(dataDir, 'validations', `${one}.json`);
    expect(store.find(one)).toEqual(validation(one));
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(join(dataDir, 'validations')).mode & 0o777).toBe(0o700);
    expect(readdirSync(join(dataDir, 'validations'))).toEqual([`${one}.json`]);
  });

  test('lists the newest first, and names damaged ones', () => {
    const store = openValidations({ dataDir });
    store.save(validation(one, 1));
    store.save(validation(other, 2));
    const third = 'c'.repeat(24);
    writeFileSync(join(dataDir, 'validations', `${third}.json`), '{"formatVersion":1}');
    writeFileSync(join(dataDir, 'validations', 'notes.json'), '{}');

    const { validations, damaged } = store.list();

    expect(validations.map(({ id }) => id)).toEqual([other, one]);
    expect(damaged).toEqual([third]);
    expect(() => store.find(third)).toThrow(expect.objectContaining({ code: 'evidence_damaged' }));
  });

  test('is empty before the first one and after its removal', () => {
    const store = openValidations({ dataDir });
    expect(store.list()).toEqual({ validations: [], damaged: [] });

    store.save(validation(one));
    store.remove(one);

    expect(store.list().validations).toEqual([]);
    expect(() => store.remove(one)).toThrow(notFound);
  });

  test.each(['', '../secret', `${one}/..`, 'A'.repeat(24), `${one}.json`])(
    'finds no other file: %j',
    (id) => {
      const store = openValidations({ dataDir });
      store.save(validation(one));

      expect(() => store.find(id)).toThrow(notFound);
    },
  );

  test('reports that it cannot be written to', () => {
    writeFileSync(join(dataDir, 'validations'), '');

    expect(() => openValidations({ dataDir }).save(validation(one))).toThrow(
      refusal('config_invalid'),
    );
  });
});

describe('the validation that reports cite', () => {
  const registry = createRegistry();

  test('is null unless the setting names one', async () => {
    expect(await citedValidation({ dataDir, validation: null }, registry)).toBeNull();
  });

  test('is the one of the exact model in use', async () => {
    const { id, version, files } = await registry.find(null);
    const digests = Object.entries(files).map(([name, { sha256 }]) => [name, sha256]);
    const model = { id, version, files: Object.fromEntries(digests) };
    openValidations({ dataDir }).save({ ...validation(one), model });

    const cited = await citedValidation({ dataDir, validation: one }, registry);

    expect(cited).toMatchObject({ id: one, model });
    expect(cited!.createdAt).toEqual(new Date(Date.UTC(2026, 0, 1)));
    expect(cited!.conditions.map(({ condition }) => condition)).toEqual(['clean', 'web', 'hard']);
  });

  test('is refused if it measured another model or is missing', async () => {
    openValidations({ dataDir }).save(validation(one));

    const cite = (id: string) => citedValidation({ dataDir, validation: id }, registry);

    await expect(cite(one)).rejects.toEqual(refusal('conflict', 'measured m 1, not trace-3'));
    await expect(cite(other)).rejects.toMatchObject({ code: 'validation_not_found' });
  });
});
