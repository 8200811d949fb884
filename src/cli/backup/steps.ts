/** Which step a long act is at, on stderr, and only where somebody watches. */

import { startSpinner } from '../spinner.ts';
import { switches } from '../switches.ts';
import { canAnimate } from '../terminal.ts';

export interface Steps<Step extends string> {
  /** @param share - 0..1 of the step. */
  at(step: Step, share: number): void;
  /** May be called twice. */
  end(): void;
}

/** @param words - what is said of each step. */
export async function showSteps<Step extends string>(
  words: Readonly<Record<Step, string>>,
): Promise<Steps<Step>> {
  if (switches().quiet || !canAnimate(process.stderr)) {
    return { at: () => undefined, end: () => undefined };
  }
  const spinner = await startSpinner();
  let shown: Step | null = null;
  return {
    at(step, share) {
      spinner.text = `${words[step]}: ${Math.floor(100 * share)} %`;
      if (step === shown) return;
      shown = step;
      // At once: a step may be over before the spinner turns.
      spinner.render();
    },
    end: () => void spinner.stop(),
  };
}
