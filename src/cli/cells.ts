/**
 * How many cells of a terminal a text takes: none for marks that stand on the character before, two for characters of
 * East Asian writing and for pictures (Unicode Standard Annex 11 calls them wide).
 */
export function cellsOf(text: string): number {
  if (plain.test(text)) return text.length;
  let cells = 0;
  for (const character of text) cells += widthOf(character);
  return cells;
}

const plain = /^[\u0020-\u02ff\u2010-\u2026]*$/;
const mark = /\p{M}/u;
const wide =
  /[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\p{Emoji_Presentation}\u3000-\u303e\uff01-\uff60]/u;

function widthOf(character: string): number {
  if (mark.test(character)) return 0;
  return wide.test(character) ? 2 : 1;
}
