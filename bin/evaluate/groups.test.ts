import { expect, test } from 'vitest';
import { outcome, rowsOf } from './outcomes.ts';
import { printGroups } from './print-groups.ts';

/** The picture as it is and at half size. */
function both(name: string, isFake: boolean, side: number) {
  return [
    { condition: 'as is', side },
    { condition: 'half', side: side / 2 },
  ].map((made) => {
    const { examination, ...row } = outcome(name, isFake, isFake ? 'real' : 'fake');
    const facts = { width: made.side, height: made.side, jpeg: null };
    return { ...row, condition: made.condition, examination: { ...examination, facts } };
  });
}

test('size groups contain the same pictures under every condition', () => {
  const rows = [both('phone', false, 400), both('tool', true, 400), both('web', true, 256)].flat();

  const lines = rowsOf(printGroups(rows)).filter(([, group]) => group?.startsWith('shorter side'));

  expect(lines.map((cells) => cells.slice(0, 4))).toEqual([
    ['as is', 'shorter side 384 px or more', '1', '1'],
    ['as is', 'shorter side 256 to 383 px', '0', '1'],
    ['half', 'shorter side 384 px or more', '1', '1'],
    ['half', 'shorter side 256 to 383 px', '0', '1'],
  ]);
});

test('generators are grouped by the split they also occur in, each group against all photographs', () => {
  const seen = both('tool', true, 400).map((row) => ({
    ...row,
    sample: { ...row.sample, generatorIn: 'train' as const },
    examination: { ...row.examination, decision: { fakeProbability: 0.95 } },
  }));
  const rows = [...both('phone', false, 400), ...seen, ...both('web', true, 256)];

  const lines = rowsOf(printGroups(rows)).filter(([, group]) => group?.startsWith('generator in'));

  expect(lines.map(([condition, group, , count, auc]) => [condition, group, count, auc])).toEqual([
    ['as is', 'generator in train', '1', '1.00 (1.00-1.00)'],
    ['as is', 'generator in no other part', '1', '0.00 (0.00-0.00)'],
    ['half', 'generator in train', '1', '1.00 (1.00-1.00)'],
    ['half', 'generator in no other part', '1', '0.00 (0.00-0.00)'],
  ]);
});
