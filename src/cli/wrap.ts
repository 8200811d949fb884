import { cellsOf } from './cells.ts';

/**
 * The words of a text in lines of at most `width` cells; a word that is longer stays whole and runs over.
 *
 * @param hanging - what every line but the first begins with.
 */
export function wrap(text: string, width: number, hanging = ''): readonly string[] {
  const [first = '', ...words] = text.split(' ');
  const lines = [first];
  for (const word of words) {
    const longer = `${lines.at(-1)} ${word}`;
    if (cellsOf(longer) <= width) lines[lines.length - 1] = longer;
    else lines.push(hanging + word);
  }
  return lines;
}
