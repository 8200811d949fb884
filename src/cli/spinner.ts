import type { Ora } from 'ora';

/** A line on stderr that moves; only for a terminal that `canAnimate`. */
export async function startSpinner(text = ''): Promise<Ora> {
  const { default: ora } = await import('ora');
  const { stderr: stream } = process;
  // The package colours by rules of its own, and NO_COLOR is not among them.
  const color = stream.hasColors() ? 'cyan' : false;
  // Without discarding: Ctrl-C has to stay a signal, and `-` has to be able to read standard input.
  return ora({ text, stream, color, discardStdin: false }).start();
}
