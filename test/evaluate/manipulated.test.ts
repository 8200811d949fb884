import { expect, test } from 'vitest';
import { manifestFigures } from './manipulated/figures.ts';
import type { Row } from './manipulated/read-cases.ts';

const silent = { isManipulated: false, isSuspected: false };
const suspected = { isManipulated: false, isSuspected: true };
const manipulated = { isManipulated: true, isSuspected: false };
const none = new Uint16Array();
const nowhere = { real: none, fake: none, compression: none, anomaly: none };

function row(set: string, isChanged: boolean, verdicts: Row['called']): Row {
  return {
    case: { name: set, set, type: 'splice', source: set, path: '', mask: null },
    condition: 'as is',
    called: verdicts,
    scores: {},
    judged: {},
    maps: { cellPx: 1, columns: 0, rows: 0, values: nowhere, methods: {} },
    mask: isChanged ? { width: 0, height: 0, values: new Uint8Array() } : null,
  };
}

const eager = { pedantic: silent, default: suspected, relaxed: manipulated };
const sure = { pedantic: manipulated, default: manipulated, relaxed: manipulated };
const changed = [row('casia', true, sure), row('casia', true, eager)];
const photographs = [row('photographs', false, eager)];

test('verdicts of a change are counted over changed pictures and over photographs; untouched pictures of the sets are neither', () => {
  const { called } = manifestFigures([...changed, row('casia', false, sure), ...photographs]);

  expect(called).toEqual([
    {
      condition: 'as is',
      changed: 2,
      photographs: 1,
      strategies: {
        pedantic: { changed: 1, photographs: 0 },
        default: { changed: 1, photographs: 0 },
        relaxed: { changed: 2, photographs: 1 },
      },
    },
  ]);
});

test('no verdicts are counted where changed pictures or photographs are missing', () => {
  expect(manifestFigures(changed).called).toEqual([]);
  expect(manifestFigures([row('casia', false, sure), ...photographs]).called).toEqual([]);
});
