/** For words that were made to stand inside a sentence, and begin one: in German also behind a colon. */
export function capitalised(words: string): string {
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}
