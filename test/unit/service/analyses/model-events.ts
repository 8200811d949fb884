/** Random sequences: most analyses get a picture and are started, then anything may happen to them. */

import {
  type Arbitrary,
  array,
  constant,
  constantFrom,
  nat,
  oneof,
  record,
  tuple,
} from 'fast-check';
import { type Event, leaseMs, maxAnalyses } from './model.ts';

const act = <const Act extends Event['act']>(name: Act) => constant(name);
const which = nat(maxAnalyses - 1);
const higher = 'forensicReporting';
const tier = constantFrom('flagging', 'flagging', higher);
const seed = constantFrom(1, 1337);
const callers = constantFrom(1, 1, 2);
const what = constantFrom(
  'picture',
  'picture',
  'picture',
  'picture',
  'otherPicture',
  'wrongPicture',
);

const create = record({ act: act('create'), tier });
const upload = record({ act: act('upload'), which, what });
const start = record({ act: act('start'), which, callers });
const retry = record({
  act: act('retry'),
  which,
  callers,
  options: oneof(
    { weight: 3, arbitrary: constant({}) },
    { weight: 3, arbitrary: constant({ tier: higher }) },
    { weight: 1, arbitrary: record({ tier, seed }) },
    { weight: 1, arbitrary: record({ tier }) },
    { weight: 1, arbitrary: constant({ colour: 1 }) },
  ),
});
const remove = record({ act: act('remove'), which });
const take = record({ act: act('take'), dies: constantFrom(false, false, false, false, true) });
const finish = record({
  act: act('finish'),
  which,
  outcome: constantFrom('found', 'found', 'crash', 'crash', 'brokenPicture', 'busy'),
});
const wait = record({ act: act('wait'), ms: constantFrom(999, 5000, 30_000, 60_000, 60_000) });

const one: Arbitrary<Event> = oneof(
  { weight: 2, arbitrary: create },
  { weight: 3, arbitrary: upload },
  { weight: 4, arbitrary: start },
  { weight: 8, arbitrary: retry },
  { weight: 2, arbitrary: remove },
  { weight: 4, arbitrary: take },
  { weight: 3, arbitrary: finish },
  { weight: 3, arbitrary: wait },
);

const crash: Event = { act: 'finish', which: 0, outcome: 'crash' };
const found: Event = { act: 'finish', which: 0, outcome: 'found' };
const upgrade = record({ act: act('retry'), which, callers, options: constant({ tier: higher }) });

const broken: Event = { act: 'finish', which: 0, outcome: 'brokenPicture' };
const restart = record({ act: act('retry'), which, callers, options: constant({}) });

/** A waiting or abandoned job comes due and is taken; the longest running examination may end. */
const attempt = oneof(
  { weight: 3, arbitrary: finish.map((end) => [end]) },
  { weight: 2, arbitrary: constant([crash]) },
  { weight: 2, arbitrary: constant([]) },
  { weight: 2, arbitrary: upgrade.map((then) => [found, then]) },
  { weight: 1, arbitrary: restart.map((then) => [broken, then]) },
  { weight: 1, arbitrary: remove.map((then) => [found, then]) },
  { weight: 1, arbitrary: tuple(remove, finish) },
).map((end): readonly Event[] => [
  { act: 'wait', ms: leaseMs },
  { act: 'take', dies: false },
  ...end,
]);

const beginnings = array(record({ tier, what, callers }), {
  minLength: 1,
  maxLength: maxAnalyses,
}).map((analyses) =>
  analyses.flatMap(
    ({ tier: first, what: picture, callers: together }, number): readonly Event[] => [
      { act: 'create', tier: first },
      { act: 'upload', which: number, what: picture },
      { act: 'start', which: number, callers: together },
    ],
  ),
);

export const anySequence: Arbitrary<readonly Event[]> = tuple(
  beginnings,
  array(
    oneof(
      one.map((event) => [event]),
      attempt,
    ),
    { minLength: 4, maxLength: 8, size: 'max' },
  ),
).map(([beginning, rest]) => [...beginning, ...rest.flat()]);
