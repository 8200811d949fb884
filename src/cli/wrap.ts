/**
 * The words of a text in lines of at most `width`; a word that is longer stays whole and runs over.
 *
 * @param hanging - what every line but the first begins with.
 */
export function wrap(text: string, width: number, hanging = ''): readonly string[] {
  const [first = '', ...words] = text.split(' ');
  const lines = [first];
  for (const word of words) {
    const longer = `${lines.at(-1)} ${word}`;
    if (longer.length <= width) lines[lines.length - 1] = longer;
    else lines.push(hanging + word);
  }
  return lines;
}
