import { describe, expect, test } from 'vitest';
import { manifestFigures } from './manipulated/figures.ts';
import { goalsReached } from './manipulated/goals.ts';
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

const counted = {
  condition: 'as is',
  changed: 2,
  photographs: 1,
  strategies: {
    pedantic: { changed: 1, photographs: 0 },
    default: { changed: 1, photographs: 0 },
    relaxed: { changed: 2, photographs: 1 },
  },
};
const small = { ...counted, megapixels: { from: 0, below: 1.5 } };

test('change verdicts are counted over changed pictures and photographs, in total and by size, not over untouched pictures of the sets', () => {
  const { called } = manifestFigures([...changed, row('casia', false, sure), ...photographs]);

  expect(called).toEqual([counted, small]);
});

test('simulated changes count only in the figures by size', () => {
  const simulated = { ...row('simulated', true, eager), megapixels: 4 };
  const { called } = manifestFigures([
    ...changed,
    simulated,
    ...photographs,
    { ...photographs[0]!, megapixels: 12 },
  ]);

  expect(
    called.map(({ megapixels, changed: some, photographs: of }) => [megapixels, some, of]),
  ).toEqual([
    [undefined, 2, 2],
    [{ from: 0, below: 1.5 }, 2, 1],
    [{ from: 4, below: null }, 1, 1],
  ]);
});

test('no verdicts are counted without both changed pictures and photographs', () => {
  expect(manifestFigures(changed).called).toEqual([]);
  expect(manifestFigures([row('casia', false, sure), ...photographs]).called).toEqual([]);
});

test('the class by traces ignores what is suspected of a change', () => {
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

test('false alarms by traces on untouched pictures are counted, whatever is suspected of a part', () => {
  const alarm = { ...silent, byTraces: 'fake' } as const;
  const rows = rowsOf(
    printTraces([
      row('misd', false, { pedantic: silent, default: suspected, relaxed: alarm }),
      row('misd', false, { pedantic: silent, default: silent, relaxed: silent }),
    ]),
  );

  const ofSet = rows.filter(([, set]) => set === 'misd');
  expect(ofSet.map((cells) => [cells[5], cells[7]?.slice(0, 14)])).toEqual([
    ['pedantic', '0 of 2: 0.0% ('],
    ['default', '0 of 2: 0.0% ('],
    ['relaxed', '1 of 2: 50.0% '],
  ]);
});

function about(one: Row, probability: number, f1Half = 0): Row {
  const fusion = { f1Best: 0.7, f1Half, auc: 0.9, f1Chance: 0.2 };
  return { ...one, scores: { fusion: probability }, judged: one.mask ? { fusion } : {} };
}

function reached(condition: string, rows: readonly Row[]) {
  return new Map(
    goalsReached([[condition, rows]]).map(({ of, measured, isMet }) => {
      return [of, { value: measured.value, isMet }];
    }),
  );
}

describe('the goals of localisation', () => {
  test('for photographs count both suspected and manipulated verdicts', () => {
    const loud = { pedantic: sure.pedantic, default: suspected, relaxed: silent };
    const quiet = { pedantic: silent, default: silent, relaxed: silent };
    const rows = [loud, quiet, quiet, quiet].map((called) =>
      about(row('photographs', false, called), called === loud ? 0.6 : 0.1),
    );

    const goals = reached('half', rows);

    expect(goals.get('photographs called manipulated')).toEqual({ value: 0, isMet: true });
    const doubted = goals.get('photographs called manipulated or suspected');
    expect(doubted).toEqual({ value: 0.25, isMet: false });
    const middle = goals.get('photographs, median probability of a change');
    expect(middle).toEqual({ value: 0.1, isMet: true });
    expect([...goals.keys()].filter((of) => of.startsWith('calibration error'))).toEqual([]);
  });

  test('for the sets compare changed with untouched pictures, without simulated changes', () => {
    const rows = [
      about(row('misd', true, sure), 0.8),
      about(row('casia', false, eager), 0.3),
      about(row('simulated', true, eager), 0.1),
    ];

    const goals = reached('jpeg 95', rows);

    const auc = goals.get('AUC of the probability of a change');
    expect(auc).toEqual({ value: 1, isMet: true });
    expect(goals.get('changed pictures found at 5% of false alarms')?.value).toBe(1);
  });

  test('for pixels are set for each type, and for what is lost at 0.5', () => {
    const goals = reached('as is', [about(row('misd', true, sure), 0.8, 0.65)]);

    expect(goals.get('F1 of splice, best threshold')).toEqual({ value: 0.7, isMet: false });
    expect(goals.get('F1 of splice, at 0.5')).toEqual({ value: 0.65, isMet: true });
    expect(goals.get('F1 lost at 0.5 against the best threshold')?.isMet).toBe(true);
    expect(goals.get('F1 of removal, at 0.5')?.isMet).toBeNull();
  });

  test('weight the probability for one changed picture in five', () => {
    const rows = [
      ...Array.from({ length: 5 }, () => about(row('misd', true, sure), 0.2)),
      ...Array.from({ length: 5 }, () => about(row('misd', false, eager), 0.2)),
    ];

    expect(calibrationOf(rows).value).toBeCloseTo(0, 12);
  });

  test('state what chance alone adds to the calibration error, which is less with more pictures', () => {
    const [few, many] = [calibrationOf(fifthChanged(20)), calibrationOf(fifthChanged(180))];

    expect(few.byChance).toBeGreaterThan(0.08);
    expect(many.byChance).toBeLessThan(few.byChance / 2);
    expect(many.byChance).toBeGreaterThan(0);
  });
});

function fifthChanged(count: number): Row[] {
  return Array.from({ length: count }, (_, at) =>
    about(row('misd', at % 5 === 0, eager), (at % 4) * 0.2 + 0.05),
  );
}

function calibrationOf(rows: readonly Row[]) {
  const [of, { value }] = [...reached('half', rows)].find(([one]) =>
    one.startsWith('calibration error, below 1.5 MP'),
  )!;
  return { value, byChance: Number(/by chance alone ([\d.]+)/.exec(of)![1]) };
}
