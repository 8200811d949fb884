import { expect, test } from 'vitest';
import { headsOf, linesOf } from './manipulated/readings.ts';
import type { Row } from './manipulated/read-cases.ts';

/** An untouched twin of one cell. */
function twinOf(source: string): Row {
  const cell = Uint16Array.of(65_535);
  const called = { isManipulated: false, isSuspected: false, byTraces: 'real' } as const;
  return {
    case: { path: '', mask: null, name: '0000-twin.jpg', set: 'simulated', type: '', source },
    condition: 'as is',
    longerSidePx: 16,
    megapixels: 0.000256,
    quality: 90,
    called: { pedantic: called, default: called, relaxed: called },
    fakeProbability: 0,
    scores: { 'copy-move': 0.5 },
    judged: {},
    maps: {
      columns: 1,
      rows: 1,
      cellPx: 16,
      values: { real: cell, fake: cell, compression: cell, anomaly: cell },
      methods: { 'copy-move': cell },
    },
    mask: null,
  };
}

test("files with the same name in two pair folders are two pictures, and places carry their picture's name", () => {
  const methods = ['copy-move'];
  const [whole, close] = ['whole-val 0', 'close-val 0'].map((source) =>
    linesOf(twinOf(source), 'splice', methods),
  );

  expect(headsOf(methods).pictures[0]?.split(',')[0]).toBe('picture');
  expect(whole?.pictures).toEqual([
    'whole-val 0/0000-twin.jpg,whole-val 0,,as is,splice,0,256,90,0.5',
  ]);
  expect(whole?.places).toEqual(['whole-val 0/0000-twin.jpg,as is,0,256,1.000,1']);
  expect(close?.pictures[0]).toMatch(/^close-val 0\/0000-twin\.jpg,close-val 0,/);
});
