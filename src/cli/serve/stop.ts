/** The first SIGTERM or SIGINT asks for a clean stop; the second one does not ask. */

const stopSignals = ['SIGTERM', 'SIGINT'] as const;

/**
 * Listens from now on, also while the program is still opening things; the promise resolves at the first signal. From
 * then on a second one ends the process at once.
 */
export async function stopRequested(): Promise<void> {
  await new Promise<void>((resolve) => {
    for (const signal of stopSignals) process.once(signal, () => resolve());
  });
  // The default action of both signals is to end the process, so taking our listeners away is all that is needed.
  for (const signal of stopSignals) process.removeAllListeners(signal);
}
