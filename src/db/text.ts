/**
 * Text as the search compares it: upper and lower case alike in all of Unicode ("ÄRGER" and "ärger", "STRASSE" and
 * "Straße"), composed and decomposed accents alike. Not a full collation: accents themselves still count.
 */
export function foldText(text: string): string {
  // Up first, then down: only the way over capitals makes ß into ss. Both Greek small sigmas have one capital, but
  // going down picks the final one by position, so it is levelled by hand.
  return text.normalize('NFC').toUpperCase().toLowerCase().replaceAll('ς', 'σ').normalize('NFC');
}

/** Length as a person and as JSON Schema counts it: code points, not UTF-16 units. */
export function characterCount(text: string): number {
  return Array.from(text).length;
}
