/** Random sequences: most analyses get a picture and are started, then anything may happen to them. */

import * as fc from 'fast-check';
import { weighted } from '../../../fixtures/weighted.ts';
import { type Event, leaseMs, maxAnalyses, type RetryOptions, type Upload } from './model.ts';

const act = <const Act extends Event['act']>(name: Act) => fc.constant(name);
const which = fc.nat(maxAnalyses - 1);
const higher = 'forensicReporting';
const tier = fc.constantFrom('flagging', 'flagging', higher);
const seed = fc.constantFrom(1, 1337);
const callers = fc.constantFrom(1, 1, 2);
const what = weighted<Upload>(
  [2, fc.constant('picture')],
  [1, fc.constantFrom('otherPicture', 'wrongPicture')],
);

const create = fc.record({ act: act('create'), tier });
const upload = fc.record({ act: act('upload'), which, what });
const start = fc.record({ act: act('start'), which, callers });
const retry = fc.record({
  act: act('retry'),
  which,
  callers,
  options: weighted<RetryOptions>(
    [3, fc.constant({})],
    [3, fc.constant({ tier: higher })],
    [1, fc.record({ tier, seed })],
    [1, fc.record({ tier })],
    [1, fc.constant({ colour: 1 })],
  ),
});
const remove = fc.record({ act: act('remove'), which });
const dies = fc.constantFrom(false, false, false, false, true);
const take = fc.record({ act: act('take'), dies });
const finish = fc.record({
  act: act('finish'),
  which,
  outcome: fc.constantFrom('found', 'found', 'crash', 'crash', 'brokenPicture', 'busy'),
});
const ms = fc.constantFrom(999, 5000, 30_000, 60_000, 60_000);
const wait = fc.record({ act: act('wait'), ms });

const one = weighted<Event>(
  [2, create],
  [3, upload],
  [4, start],
  [8, retry],
  [2, remove],
  [4, take],
  [3, finish],
  [3, wait],
);

const alone = one.map((event) => [event]);

const crash: Event = { act: 'finish', which: 0, outcome: 'crash' };
const found: Event = { act: 'finish', which: 0, outcome: 'found' };
const broken: Event = { act: 'finish', which: 0, outcome: 'brokenPicture' };
const retryWith = (options: RetryOptions) =>
  fc.record({ act: act('retry'), which, callers, options: fc.constant(options) });
const [upgrade, restart] = [retryWith({ tier: higher }), retryWith({})];

/** A waiting or abandoned job comes due and is taken; the longest running examination may end. */
const attempt = weighted<readonly Event[]>(
  [3, finish.map((end) => [end])],
  [2, fc.constant([crash])],
  [2, fc.constant([])],
  [2, upgrade.map((then) => [found, then])],
  [1, restart.map((then) => [broken, then])],
  [1, remove.map((then) => [found, then])],
  [1, fc.tuple(remove, finish)],
).map((end): readonly Event[] => [
  { act: 'wait', ms: leaseMs },
  { act: 'take', dies: false },
  ...end,
]);

const beginnings = fc
  .array(fc.record({ tier, what, callers }), { minLength: 1, maxLength: maxAnalyses })
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
    fc.array(fc.oneof(alone, attempt), { minLength: 4, maxLength: 8, size: 'max' }),
  )
  .map(([beginning, rest]) => [...beginning, ...rest.flat()]);
