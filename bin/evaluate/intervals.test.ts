import { describe, expect, test } from 'vitest';
import { createRandom } from '../../src/engine/calibration.ts';
import { type Estimate, estimateOf, rateOf } from './intervals.ts';

/** Pictures, a fifth of which count. */
function pictures(count: number, sourceOf: (at: number) => string) {
  const random = createRandom(3);
  return Array.from({ length: count }, (_, at) => ({
    sample: { isFake: at % 2 === 0, source: sourceOf(at) },
    isCounted: random() < 0.2,
  }));
}

const isCounted = (one: { readonly isCounted: boolean }) => one.isCounted;
const widthOf = ({ low, high }: Estimate) => high - low;

describe('the interval of a share', () => {
  test('is as wide as the binomial one if every picture has its own source', () => {
    const { value, of, ...bounds } = rateOf(
      pictures(500, (at) => String(at)),
      isCounted,
    );

    const expected = 2 * 1.96 * Math.sqrt((value * (1 - value)) / of);
    expect(widthOf({ value, ...bounds })).toBeGreaterThan(0.85 * expected);
    expect(widthOf({ value, ...bounds })).toBeLessThan(1.15 * expected);
  });

  test('is wider if all pictures of a source are alike', () => {
    const alone = pictures(50, (at) => String(at));
    const repeated = [...alone, ...alone, ...alone, ...alone];
    const independent = repeated.map((one, at) => ({
      ...one,
      sample: { ...one.sample, source: String(at) },
    }));

    const [many, few] = [rateOf(independent, isCounted), rateOf(repeated, isCounted)];
    expect(few.value).toBe(many.value);
    expect(widthOf(few)).toBeGreaterThan(1.6 * widthOf(many));
  });

  test('is the exact one if none counts, where the bootstrap would give a width of 0', () => {
    const none = rateOf(
      pictures(60, (at) => String(at)),
      () => false,
    );

    expect(none).toMatchObject({ count: 0, of: 60, value: 0, low: 0 });
    expect(none.high).toBeCloseTo(1 - 0.025 ** (1 / 60), 9);
  });

  test('is the exact one if there is only one source', () => {
    const { low, high } = rateOf(
      pictures(40, () => 'one').map((one) => ({ ...one, sample: { isFake: true, source: 'one' } })),
      isCounted,
    );

    expect(high - low).toBeGreaterThan(0.15);
  });

  test('is NaN if there is nothing to count', () => {
    expect(rateOf([], () => true)).toEqual({
      count: 0,
      of: 0,
      value: Number.NaN,
      low: Number.NaN,
      high: Number.NaN,
    });
  });
});

test('bootstrap draws in which a figure cannot be measured are left out', () => {
  const items = [1, 2, 3].map((value) => ({
    value,
    sample: { isFake: true, source: String(value) },
  }));
  const minWithout1 = (some: typeof items) =>
    some.some(({ value }) => value === 1)
      ? Number.NaN
      : Math.min(...some.map(({ value }) => value));

  expect(estimateOf(items, (some) => minWithout1([...some]))).toMatchObject({ low: 2, high: 3 });
});
