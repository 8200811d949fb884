/** A way to reach the team. Its outcome is data: what the queue does with it is decided elsewhere. */

import type { Submission } from './message.ts';

export interface Attempt {
  /** `refused`: the same message would be refused again. */
  readonly kind: 'accepted' | 'failed' | 'refused';
  /** A word for the record, such as `smtp_250` or `timeout`; never a text of the other side. */
  readonly detail: string;
}

/** Makes one attempt. Ends within a minute, or soon after `signal`. Throws only for mistakes of this program. */
export type Channel = (submission: Submission, signal: AbortSignal) => Promise<Attempt>;
