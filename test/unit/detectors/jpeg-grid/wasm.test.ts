import { expect, test } from 'vitest';
import {
  add,
  compile,
  eachFour,
  isLess,
  load,
  loadConstant,
  localFour,
  magnitude,
  multiply,
  store,
  subtract,
  subtractWhole,
  zeros,
} from '../../../../src/detectors/jpeg-grid/wasm.ts';

// Whole numbers are written in groups of seven bits, of which the last has one for the sign.
test.each([
  [4, 16],
  [60, 64],
  [128, 8176],
  [8192, 8192],
  [131_068, 1_048_576],
])(
  'a loop at address %i takes four numbers at a time for %i bytes and no further',
  (address, bytes) => {
    const { buffer, run } = compile(
      eachFour(bytes, store(address, add(load(address), loadConstant(0)))),
      0,
      address + bytes + 16,
    );
    const numbers = new Float32Array(buffer);
    numbers.fill(1);
    numbers[0] = 2;

    run();

    const [first, end] = [address / 4, (address + bytes) / 4];
    expect([...numbers.subarray(first, end)].every((number) => number === 3)).toBe(true);
    expect([numbers[first - 1], numbers[end]]).toEqual([first === 1 ? 2 : 1, 1]);
  },
);

test('each instruction does what its name says, on four numbers apart from each other', () => {
  const [a, b, below] = [localFour(0), localFour(1), localFour(200)];
  const results = [
    add(a.get, b.get),
    subtract(a.get, b.get),
    multiply(a.get, b.get),
    magnitude(a.get),
    below.get,
  ];
  const { buffer, run } = compile(
    eachFour(16, [
      ...a.set(load(0)),
      ...b.set(load(16)),
      ...below.set(subtractWhole(zeros, isLess(a.get, b.get))),
      ...results.flatMap((result, at) => store(32 + 16 * at, result)),
    ]),
    201,
    200,
  );
  const numbers = new Float32Array(buffer);
  numbers.set([1, -2, 3, 0.5, 4, 0.25, 3, -8]);

  run();

  expect([...numbers.subarray(8, 12)]).toEqual([5, -1.75, 6, -7.5]);
  expect([...numbers.subarray(12, 16)]).toEqual([-3, -2.25, 0, 8.5]);
  expect([...numbers.subarray(16, 20)]).toEqual([4, -0.5, 9, -4]);
  expect([...numbers.subarray(20, 24)]).toEqual([1, 2, 3, 0.5]);
  expect([...new Int32Array(buffer, 96, 4)]).toEqual([1, 1, 0, 0]);
});
