import { describe, expect, test } from 'vitest';
import type { CellMaps } from '../../src/detectors/result.ts';
import { judge } from './manipulated/judge.ts';

/** One cell per pixel, so that the map itself is judged. */
function mapsOf(columns: number, rows: number, values: Uint16Array): CellMaps {
  return {
    cellPx: 1,
    columns,
    rows,
    values: { real: values, fake: values, compression: values, anomaly: values },
    methods: {},
  };
}

const mask = { width: 4, height: 2, values: Uint8Array.of(255, 255, 0, 0, 255, 128, 0, 0) };
const of = (...shares: number[]) => Uint16Array.from(shares, (share) => Math.round(65_535 * share));
const judged = (values: Uint16Array) => judge(mask, mapsOf(4, 2, values), values);

describe('a map', () => {
  test('that is right everywhere scores 1', () => {
    expect(judged(of(0.9, 0.9, 0.1, 0.1, 0.8, 0.7, 0.2, 0))).toEqual({
      f1Best: 1,
      f1Half: 1,
      auc: 1,
      f1Chance: 2 / 3,
    });
  });

  test('that is right but too low scores 1 at its best threshold and finds nothing at 0.5', () => {
    const low = judged(of(0.4, 0.4, 0.1, 0.1, 0.3, 0.3, 0.2, 0));

    expect(low).toMatchObject({ f1Best: 1, f1Half: 0, auc: 1 });
  });

  test('that has the same value everywhere scores as chance does', () => {
    expect(judged(of(0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5))).toMatchObject({
      f1Best: 2 / 3,
      f1Half: 2 / 3,
      auc: 0.5,
    });
  });

  test('is judged by counting pixels', () => {
    // Three of four changed pixels are found, and one of four untouched ones is marked too.
    const figures = judged(of(0.9, 0.9, 0.8, 0.1, 0.9, 0.2, 0.1, 0.1));

    expect(figures?.f1Half).toBeCloseTo((2 * 3) / (4 + 4), 12);
    // Of 16 pairs one is in the wrong order: the missed pixel and the falsely marked one.
    expect(figures?.auc).toBeCloseTo(15 / 16, 12);
  });

  test('of a picture that is changed everywhere, or nowhere, is not judged', () => {
    const values = of(0.5, 0.5);
    const all = { width: 2, height: 1, values: Uint8Array.of(255, 255) };
    const none = { width: 2, height: 1, values: Uint8Array.of(0, 0) };

    expect(judge(all, mapsOf(2, 1, values), values)).toBeNull();
    expect(judge(none, mapsOf(2, 1, values), values)).toBeNull();
  });
});
