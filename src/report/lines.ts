/** Breaks a text into lines. Every width comes from the caller, so that the same rule serves any font. */

/**
 * Breaks at spaces; a word wider than the line (a checksum, a long file name) breaks where the line is full. Nothing is
 * lost but the spaces at the breaks.
 *
 * @param width - of a line, in the unit of `measure`; always room for at least one character.
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
  for (const word of text.split(' ').flatMap((long) => breakWord(long, width, measure))) {
    const needed = measure(word);
    if (line !== '' && used + space + needed > width) {
      lines.push(line);
      line = word;
      used = needed;
    } else {
      used += line === '' ? needed : space + needed;
      line = line === '' ? word : `${line} ${word}`;
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
