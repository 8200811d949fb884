/** Random sequences: most analyses get a picture and are started, then anything may happen to them. */

import * as fc from 'fast-check';
import { type Event, leaseMs, maxAnalyses } from './model.ts';

const act = <const Act extends Event['act']>(name: Act) => fc.constant(name);
const which = fc.nat(maxAnalyses - 1);
const higher = 'forensicReporting';
const tier = fc.constantFrom('flagging', 'flagging', higher);
const seed = fc.constantFrom(1, 1337);
const callers = fc.constantFrom(1, 1, 2);
const what = fc.oneof(
  { weight: 2, arbitrary: fc.constant('picture' as const) },
  fc.constantFrom('otherPicture', 'wrongPicture'),
);

const create = fc.record({ act: act('create'), tier });
const upload = fc.record({ act: act('upload'), which, what });
const start = fc.record({ act: act('start'), which, callers });
const retry = fc.record({
  act: act('retry'),
  which,
  callers,
  options: fc.oneof(
    { weight: 3, arbitrary: fc.constant({}) },
    { weight: 3, arbitrary: fc.constant({ tier: higher }) },
    { weight: 1, arbitrary: fc.record({ tier, seed }) },
    { weight: 1, arbitrary: fc.record({ tier }) },
    { weight: 1, arbitrary: fc.constant({ colour: 1 }) },
  ),
});
const remove = fc.record({ act: act('remove'), which });
const take = fc.record({
  act: act('take'),
  dies: fc.constantFrom(false, false, false, false, true),
});
const finish = fc.record({
  act: act('finish'),
  which,
  outcome: fc.constantFrom('found', 'found', 'crash', 'crash', 'brokenPicture', 'busy'),
});
const wait = fc.record({
  act: act('wait'),
  ms: fc.constantFrom(999, 5000, 30_000, 60_000, 60_000),
});

const one: fc.Arbitrary<Event> = fc.oneof(
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
const upgrade = fc.record({
  act: act('retry'),
  which,
  callers,
  options: fc.constant({ tier: higher }),
});

const broken: Event = { act: 'finish', which: 0, outcome: 'brokenPicture' };
const restart = fc.record({ act: act('retry'), which, callers, options: fc.constant({}) });

/** A waiting or abandoned job comes due and is taken; the longest running examination may end. */
const attempt = fc
  .oneof(
    { weight: 3, arbitrary: finish.map((end) => [end]) },
    { weight: 2, arbitrary: fc.constant([crash]) },
    { weight: 2, arbitrary: fc.constant([]) },
    { weight: 2, arbitrary: upgrade.map((then) => [found, then]) },
    { weight: 1, arbitrary: restart.map((then) => [broken, then]) },
    { weight: 1, arbitrary: remove.map((then) => [found, then]) },
    { weight: 1, arbitrary: fc.tuple(remove, finish) },
  )
  .map((end): readonly Event[] => [
    { act: 'wait', ms: leaseMs },
    { act: 'take', dies: false },
    ...end,
  ]);

const beginnings = fc
  .array(fc.record({ tier, what, callers }), {
    minLength: 1,
    maxLength: maxAnalyses,
  })
  .map((analyses) =>
    analyses.flatMap(
      ({ tier: first, what: picture, callers: together }, number): readonly Event[] => [
        { act: 'create', tier: first },
        { act: 'upload', which: number, what: picture },
        { act: 'start', which: number, callers: together },
      ],
    ),
  );

export const anySequence: fc.Arbitrary<readonly Event[]> = fc
  .tuple(
    beginnings,
    fc.array(
      fc.oneof(
        one.map((event) => [event]),
        attempt,
      ),
      { minLength: 4, maxLength: 8, size: 'max' },
    ),
  )
  .map(([beginning, rest]) => [...beginning, ...rest.flat()]);
