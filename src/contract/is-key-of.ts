/** Whether a word from outside is a key of the table: not of what every object inherits. */
export function isKeyOf<Table extends object>(
  table: Table,
  word: PropertyKey,
): word is keyof Table {
  return Object.hasOwn(table, word);
}
