import { hash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import {
  citedAs,
  makeValidation,
  type Measured,
  writeWarnings,
} from '../../../../src/service/validation/record.ts';
import { parseValidation } from '../../../../src/service/validation/validation.ts';
import { outcome, outcomes } from './outcomes.ts';
import { refusal } from '../../../fixtures/refusal.ts';

const none = { found: 0, repeated: 0, failed: 0 };

function makeRecord(measured: readonly Measured[], parts: object = {}) {
  return makeValidation({
    id: 'a'.repeat(24),
    createdAt: new Date(Date.UTC(2026, 4, 1)),
    seed: 7,
    files: { real: none, fake: none, inBoth: 0 },
    measured,
    ...parts,
  });
}

const forty = [...outcomes(40, { isFake: false }), ...outcomes(40, { isFake: true, wrong: 3 })];

function file(byte: string) {
  return { sha256: byte.repeat(32), bytes: 1 };
}

function warningsFor(measured: readonly Measured[], parts: object = {}): string {
  return writeWarnings(makeRecord(measured, parts)).join('\n');
}

/** Forty pictures of a class in five subfolders. */
function inFolders(isFake: boolean): readonly Measured[] {
  return outcomes(40, { isFake }).map((one, at) => ({ ...one, folder: `f${at % 5}` }));
}

describe('a record', () => {
  test('reads back as it was written', () => {
    const record = makeRecord(forty);

    expect(parseValidation(JSON.stringify(record))).toEqual(record);
  });

  const whole = makeRecord(forty);
  const damaged = expect.objectContaining({ code: 'evidence_damaged' });

  test.each([
    ['that is empty', ''],
    ['that is cut off', '{'],
    ['that is a list', '[]'],
    ['with nothing but a format', '{"formatVersion":1}'],
    ['of a later format', JSON.stringify({ ...whole, formatVersion: 2 })],
    ['without a date', JSON.stringify({ ...whole, createdAt: 'yesterday' })],
    ['with an invalid id', JSON.stringify({ ...whole, id: '../x' })],
    ['without conditions', JSON.stringify({ ...whole, conditions: undefined })],
  ])('%s is refused', (_, text) => {
    expect(() => parseValidation(text)).toThrow(damaged);
  });

  test('identifies its pictures by a digest that anybody can compute', () => {
    const [one, other] = [hash('sha256', 'real 0'), hash('sha256', 'real 1')].toSorted();
    const measured = [...outcomes(2, { isFake: false }), ...outcomes(1, { isFake: true })];

    const { real } = makeRecord(measured).pictures;
    const reversed = makeRecord(measured.toReversed()).pictures.real;

    expect(real.digest).toBe(hash('sha256', `${one}\n${other}\n`));
    expect(reversed).toEqual(real);
  });

  test('cannot be made from two models or from one class', () => {
    const mixed = [...forty, outcome({ isFake: true, name: 'x', version: '2' })];

    expect(() => makeRecord(mixed)).toThrow(expect.objectContaining({ code: 'conflict' }));
    expect(() => makeRecord(outcomes(3, { isFake: true }))).toThrow(
      expect.objectContaining({ message: expect.stringContaining('photographs (--real)') }),
    );
  });
});

describe('a citation', () => {
  const model = { id: 'm', version: '1', files: { 'model.onnx': file('ab') } };

  test('passes the rates of all conditions and strategies to the report', () => {
    const cited = citedAs(makeRecord(forty), model);

    expect(cited.id).toBe('a'.repeat(24));
    expect(cited.model).toEqual({
      id: 'm',
      version: '1',
      files: { 'model.onnx': 'ab'.repeat(32) },
    });
    expect(cited.createdAt).toEqual(new Date(Date.UTC(2026, 4, 1)));
    expect(cited.conditions).toHaveLength(3);
    expect(cited.conditions[0]).toMatchObject({ condition: 'clean', real: 40, fake: 40 });
    expect(cited.conditions[0]!.strategies.default).toEqual({
      decided: 1,
      realCalledFake: 0,
      fakeCalledReal: 3 / 40,
      realCalledReal: 1,
      fakeCalledFake: 37 / 40,
    });
  });

  test.each([
    ['version', { ...model, version: '2' }, 'measured m 1, not m 2'],
    ['weights', { ...model, files: { 'model.onnx': file('cd') } }, 'a different m 1, with other'],
  ])('of another %s is refused', (_, other, message) => {
    expect(() => citedAs(makeRecord(forty), other)).toThrow(refusal('conflict', message));
  });
});

describe('a warning', () => {
  test('is not given without a reason', () => {
    expect(warningsFor([...inFolders(false), ...inFolders(true)])).toBe('');
  });

  test('is given if the model is at chance', () => {
    const useless = [
      ...outcomes(30, { isFake: false, fakeProbability: 0.5 }),
      ...outcomes(30, { isFake: true, fakeProbability: 0.5 }),
    ];

    expect(warningsFor(useless)).toContain('clean: the confidence interval for the AUC includes');
  });

  test('is given for fewer than thirty pictures of a class', () => {
    const few = [...outcomes(29, { isFake: false }), ...inFolders(true)];

    expect(warningsFor(few)).toContain('Measured photographs: 29.');
    expect(warningsFor(few)).not.toContain('Measured generated pictures');
  });

  test('is given for contradictory labels', () => {
    const declaring = outcome({ isFake: false, name: 'x', declaresGeneration: true });
    const warnings = warningsFor([...forty, declaring], {
      files: { real: none, fake: none, inBoth: 4 },
    });

    expect(warnings).toContain('declares them generated: 1.');
    expect(warnings).toContain('4 files are in both folders');
  });

  test('is given if many could not be examined, or are too small for a condition', () => {
    const small = outcomes(40, { isFake: true, conditions: ['clean', 'web'] });
    const warnings = warningsFor(
      [...outcomes(40, { isFake: false }), ...small.slice(1), ...outcomes(1, { isFake: true })],
      { files: { real: { ...none, failed: 3 }, fake: { ...none, failed: 1 }, inBoth: 0 } },
    );

    expect(warnings).toContain('3 of the photographs could not be examined.');
    expect(warnings).not.toContain('of the generated pictures could not');
    expect(warnings).toContain('hard: left out 39 that');
    expect(warningsFor([...outcomes(40, { isFake: false }), ...small])).toContain(
      'hard: not measured',
    );
  });

  test('is given if there are too few subfolders to tell sources apart', () => {
    const warnings = warningsFor([...inFolders(false), ...outcomes(40, { isFake: true })]);

    expect(warnings).toContain('The generated pictures are in fewer than 5 subfolders');
  });
});
