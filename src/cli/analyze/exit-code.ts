import { type ExitCode, exitCodes, failures } from '../../errors.ts';
import { type FailOn, failOns } from './options.ts';
import type { Tally } from './tally.ts';

const exitOf: Record<FailOn, ExitCode> = {
  fake: exitCodes.foundFake,
  uncertain: exitCodes.foundUncertain,
  abstain: exitCodes.foundAbstain,
};

/**
 * How a run ends. A failure outweighs every verdict: a batch with an unread picture was not checked. Then fake,
 * uncertain, abstain, each only when asked for.
 */
export function exitCodeOf(
  { total, counts, firstError }: Tally,
  failOn: readonly FailOn[],
): ExitCode {
  if (firstError !== null) return total === 1 ? failures[firstError].exit : exitCodes.failure;
  const found = failOns.find((verdict) => failOn.includes(verdict) && counts[verdict] > 0);
  return found === undefined ? exitCodes.done : exitOf[found];
}
