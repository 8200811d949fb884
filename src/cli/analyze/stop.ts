/** Ctrl-C and SIGTERM end a run in order: children first, then temporary files, then the program, by the same signal. */

import { type ErrorCode, ForensicsError } from '../../errors.ts';

export interface Stop {
  readonly signal: AbortSignal;
  /** Ends the run from the inside, without a signal of the system. */
  because(failure: ForensicsError): void;
  /** @throws {ForensicsError} why the run was stopped, if it was. */
  throwIfStopped(): void;
  /** Stops listening; when a signal had come, ends the program by it, so that the shell sees the true reason. */
  release(): void;
}

/** Failures that every picture of a run would meet: the run ends with the first. */
export function isOfTheMachine({ code }: ForensicsError): boolean {
  return ofTheMachine.has(code);
}

const ofTheMachine: ReadonlySet<ErrorCode> = new Set([
  'model_not_found',
  'model_integrity',
  'runtime_missing',
  'no_space_left',
  // Of a server that examines in its place.
  'unauthenticated',
  'forbidden',
  'tenant_not_found',
  'server_unreachable',
  'server_untrusted',
]);

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

export function listenForStop(): Stop {
  const controller = new AbortController();
  let came: NodeJS.Signals | null = null;
  const forget = () => signals.forEach((name) => process.off(name, onSignal));
  // We go on listening: the spinner's package ends the program at once when it finds itself alone with a signal.
  const onSignal = (name: NodeJS.Signals) => {
    if (came === null) {
      came = name;
      controller.abort(new ForensicsError('cancelled', 'Stopped.'));
      return;
    }
    // A second one need not wait for the tidying up.
    endBy(name);
  };
  signals.forEach((name) => process.on(name, onSignal));
  return {
    signal: controller.signal,
    because: (failure) => controller.abort(failure),
    throwIfStopped: () => controller.signal.throwIfAborted(),
    release: () => {
      forget();
      if (came) endBy(came);
    },
  };
}

/** At once: with a listener left the signal would come later than the exit code of whoever goes on. */
function endBy(name: NodeJS.Signals): void {
  process.removeAllListeners(name);
  process.kill(process.pid, name);
}
