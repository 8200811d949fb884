/** The answer of the last time, for as long as it is fresh; those who ask at once wait for the same one. */
export function cached<T>(
  act: () => Promise<T>,
  { freshMs, now }: { readonly freshMs: number; readonly now: () => Date },
): () => Promise<T> {
  let latest: { readonly atMs: number; readonly answer: Promise<T> } | null = null;
  return async () => {
    const atMs = now().getTime();
    if (latest === null || atMs - latest.atMs >= freshMs) latest = { atMs, answer: act() };
    return latest.answer;
  };
}
