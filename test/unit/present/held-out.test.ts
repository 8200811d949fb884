import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const lines = readFileSync(
  new URL('../../../models/locate-1/held-out.csv', import.meta.url),
  'utf8',
)
  .trim()
  .split('\n')
  .slice(1)
  .map((line) => line.split(','));

test.each(['"as is"', '"jpeg 75"'])(
  'even changed pictures whose change is missed mostly score above weak evidence against it: %s',
  (condition) => {
    const missed = lines.filter(
      ([of, label, , , outcome]) => of === condition && label === 'so' && outcome === 'none',
    );
    const above = missed.filter(([, , , ratio]) => Number(ratio) > -Math.log(2));

    expect(missed.length).toBeGreaterThan(50);
    expect(above.length / missed.length).toBeGreaterThan(0.7);
  },
);
