import { expect, test } from 'vitest';
import { manifestFigures } from './manipulated/figures.ts';
import { printTraces } from './manipulated/print-traces.ts';
import { classByTraces, type Row } from './manipulated/read-cases.ts';
import { rowsOf } from './outcomes.ts';

const silent = { isManipulated: false, isSuspected: false, byTraces: 'real' } as const;
const suspected = { ...silent, isSuspected: true };
const manipulated = { ...silent, isManipulated: true };
const none = new Uint16Array();
const nowhere = { real: none, fake: none, compression: none, anomaly: none };

function row(set: string, isChanged: boolean, verdicts: Row['called']): Row {
  return {
    case: { name: set, set, type: 'splice', source: set, path: '', mask: null },
    condition: 'as is',
    longerSidePx: 640,
    megapixels: 0.3,
    quality: 90,
    fakeProbability: 0.25,
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

test('traces are told apart from what is said of a change', () => {
  const doubted = { resultClass: 'uncertain', reasons: ['manipulation_suspected'] } as const;
  const unclear = {
    ...doubted,
    reasons: ['evidence_below_threshold', ...doubted.reasons],
  } as const;
  const byTraces = { resultClass: 'abstain', reasons: ['too_small'] } as const;

  expect(classByTraces(doubted)).toBe('real');
  expect(classByTraces(unclear)).toBe('uncertain');
  expect(classByTraces({ resultClass: 'fake', reasons: [] })).toBe('fake');
  expect(classByTraces({ resultClass: 'fake', reasons: [], byTraces })).toBe('abstain');
});

test('of untouched pictures the false alarms of traces are counted, whatever is suspected of a part', () => {
  const alarm = { ...silent, byTraces: 'fake' } as const;
  const rows = rowsOf(
    printTraces([
      row('misd', false, { pedantic: silent, default: suspected, relaxed: alarm }),
      row('misd', false, { pedantic: silent, default: silent, relaxed: silent }),
    ]),
  );

  const ofSet = rows.filter(([, set]) => set === 'misd');
  expect(ofSet.map((cells) => [cells[5], cells[7]?.slice(0, 14)])).toEqual([
    ['pedantic', '0 of 2: 0.0 % '],
    ['default', '0 of 2: 0.0 % '],
    ['relaxed', '1 of 2: 50.0 %'],
  ]);
});
