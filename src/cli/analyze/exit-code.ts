import { type ExitCode, exitCodes, failures } from '../../errors.ts';
import { type FailOn, failOns } from './options.ts';
import type { AnalysisRecord } from './record.ts';

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
  records: readonly Pick<AnalysisRecord, 'verdict' | 'error'>[],
  failOn: readonly FailOn[],
): ExitCode {
  const errors = records.flatMap(({ error }) => (error === null ? [] : [error]));
  if (errors.length > 0) {
    return records.length === 1 ? failures[errors[0]!.code].exit : exitCodes.failure;
  }
  const found = failOns.find(
    (verdict) => failOn.includes(verdict) && records.some((record) => record.verdict === verdict),
  );
  return found === undefined ? exitCodes.done : exitOf[found];
}
