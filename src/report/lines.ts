/** Breaks a text into lines. Every width comes from the caller, so that the same rule serves any font. */

/** A unit does not part from its figure. */
const breaks = / (?!%)/;

/**
 * Breaks at spaces; a word wider than the line (a checksum, a long file name) breaks where the line is full. A line
 * that ends at a space keeps it, so that the lines joined are the text again, for search and for screen readers.
 *
 * @param width - of a line without its last space, in the unit of `measure`; always room for at least one character.
 */
export function breakLines(
  text: string,
  width: number,
  measure: (part: string) => number,
): readonly string[] {
  const lines: string[] = [];
  const space = measure(' ');
  let line = '';
  let used = 0;
  for (const [at, word] of text.split(breaks).entries()) {
    for (const [part, piece] of breakWord(word, width, measure).entries()) {
      const joint = at > 0 && part === 0 ? ' ' : '';
      const needed = measure(piece);
      const whole = used + (joint === '' ? 0 : space) + needed;
      const isFull = line !== '' && whole > width;
      if (isFull) lines.push(line + joint);
      line = isFull ? piece : line + joint + piece;
      used = isFull ? needed : whole;
    }
  }
  return [...lines, line];
}

/** Pieces that fit, by characters rather than code units; the word itself when it fits as a whole. */
function breakWord(
  word: string,
  width: number,
  measure: (part: string) => number,
): readonly string[] {
  if (measure(word) <= width) return [word];
  const pieces: string[] = [];
  let piece = '';
  let used = 0;
  for (const character of word) {
    const needed = measure(character);
    if (piece !== '' && used + needed > width) {
      pieces.push(piece);
      piece = '';
      used = 0;
    }
    piece += character;
    used += needed;
  }
  return [...pieces, piece];
}
