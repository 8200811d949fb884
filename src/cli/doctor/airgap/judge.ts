/** What the trial has shown. */

import { diagnose, type Diagnosis } from '../../../app/doctor/diagnosis.ts';
import type { Settings } from '../../../config.ts';
import type { Attempt } from './attempts.ts';
import { type Step, steps, type TrialTold } from './told.ts';

export interface Proof {
  readonly told: TrialTold;
  /** What watched processes tried; those that were watched, first of all. */
  readonly attempts: readonly Attempt[];
  readonly isIsolated: boolean;
}

export function judgeProof({ told, attempts, isIsolated }: Proof): Diagnosis {
  const { ok, failed } = diagnose('airgap');
  const tried = attempts.filter(({ act }) => act !== 'watched');
  const wall = 'Keep this user from the network by a firewall until that is cleared up.';
  if (tried.length > 0) {
    const named = tried.map(({ act, target }) => `${act} ${target}`);
    return failed(`It tried to: ${[...new Set(named)].join(', ')}.`, wall);
  }
  const missing: Step | undefined = steps.find((step) => !told.done.includes(step));
  if (missing !== undefined) {
    const why = told.failure ?? 'it ended early';
    return failed(
      `The ${missing} did not succeed, so nothing is proven: ${why}`,
      'Run "forensics doctor" without --airgap.',
    );
  }
  if (isIsolated && told.noRoutes !== 0) {
    return failed(
      `The kernel counted ${told.noRoutes ?? 'no'} packets that found no way out; native code sent them.`,
      wall,
    );
  }
  const where = isIsolated
    ? ', in a network namespace without a way out, whose kernel counted no packet that sought one'
    : '; no network namespace was to be had, so that native code went unwatched';
  const watched = attempts.length - tried.length;
  return ok(
    `Start, one analysis and one report tried to reach nobody: ${watched} processes were watched${where}.`,
  );
}

/** The trial takes nobody's settings: what they would call is told apart. */
export function judgeSettings(settings: Settings): Diagnosis {
  const { ok, warning } = diagnose('airgap settings');
  const callers = [
    'defaultStorage',
    'feedbackSmtpUrl',
    'feedbackWebhookUrl',
    'oidcIssuer',
  ] as const;
  const set = callers.filter((name) => settings[name] !== null);
  if (set.length === 0) return ok('None of them names another machine.');
  return warning(
    `With these settings the server calls other machines: ${set.join(', ')}.`,
    'Leave them out, or see that they name machines of your own network. Webhooks and stores of tenants do too.',
  );
}
