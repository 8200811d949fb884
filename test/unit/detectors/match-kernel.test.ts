import { expect, test } from 'vitest';
import {
  openMatchKernel,
  allocateDescriptors,
} from '../../../src/detectors/copy-move/match-kernel.ts';
import { createRandom } from '../../../src/engine/calibration.ts';

const [width, height, reachPx, length] = [61, 47, 8, 16];
const minPx = 7.5;
const random = createRandom(1);
const whole = (below: number) => Math.floor(random() * below);
const descriptors = allocateDescriptors(width * height).map(() => whole(8000) - 4000);

function openKernel(cells: number) {
  const room = allocateDescriptors(width * height);
  room.set(descriptors);
  return openMatchKernel({ width, height, descriptors: room, cells, minPx });
}

test('the kernel keeps the same match as a plain loop', () => {
  const cells = 100;
  const kernel = openKernel(cells);
  const expected: number[] = [];
  for (let cell = 0; cell < cells; cell++) {
    const place = { x: reachPx + whole(40), y: reachPx + whole(30) };
    // Some are outside the picture, some too near.
    const others = Array.from({ length: 9 }, () => ({
      x: whole(width + 20) - 10,
      y: whole(height + 20) - 10,
    }));
    others.forEach(({ x, y }, at) => (kernel.offered[at] = y * 65_536 + x));
    expected.push(...plainMatch(place, others));

    kernel.offer(cell, place.y * width + place.x, place.x, place.y, others.length, 0);
  }

  expect([...kernel.matches]).toEqual(expected);
});

test('the kernel applies offsets to the match current at the time', () => {
  const kernel = openKernel(1);
  const place = { x: 10, y: 10 };
  const first = { x: 40, y: 30 };
  kernel.offered[0] = first.y * 65_536 + first.x;
  kernel.offer(0, place.y * width + place.x, place.x, place.y, 1, 0);
  const steps = Array.from({ length: 12 }, () => ({ x: whole(9) - 4, y: whole(9) - 4 }));
  let [match, cost] = plainMatch(place, [first]);
  for (const step of steps) {
    const next = { x: (match & 0xffff) + step.x, y: (match >> 16) + step.y };
    const [other, otherCost] = plainMatch(place, [next]);
    if (otherCost < cost) [match, cost] = [other, otherCost];
  }
  steps.forEach(({ x, y }, at) => (kernel.offered[at] = y * 65_536 + x));

  const found = kernel.offer(0, place.y * width + place.x, place.x, place.y, steps.length, -1);

  expect(match).not.toBe(first.y * 65_536 + first.x);
  expect([found, ...kernel.matches]).toEqual([match, match, cost]);
});

interface Point {
  readonly x: number;
  readonly y: number;
}

/** The match as `row << 16 | column`, or -1, and its squared distance. */
function plainMatch(from: Point, others: readonly Point[]): [match: number, cost: number] {
  let [match, cost] = [-1, 0x7fffffff];
  for (const { x, y } of others) {
    if (Math.min(x, y) < reachPx || x >= width - reachPx || y >= height - reachPx) continue;
    if (Math.hypot(x - from.x, y - from.y) < minPx) continue;
    let sum = 0;
    for (let n = 0; n < length; n++) sum += (valueOf(from, n) - valueOf({ x, y }, n)) ** 2;
    if (sum < cost) [match, cost] = [y * 65_536 + x, sum];
  }
  return [match, cost];
}

function valueOf({ x, y }: Point, slot: number): number {
  return descriptors[(y * width + x) * length + slot]!;
}
