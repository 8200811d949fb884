/** Whether a word from outside is one of the table's own keys, not one that every object inherits. */
export function isKeyOf<Table extends object>(
  table: Table,
  word: PropertyKey,
): word is keyof Table {
  return Object.hasOwn(table, word);
}
