import { type Static, type TSchema, type TUnsafe, Type } from 'typebox';

/**
 * The schema of an answer with each component in its place: the server's own schemas only name them, as its interface
 * document does.
 */
export function wholeAnswer<T extends TSchema>(
  answer: T,
  components: readonly object[],
): TUnsafe<Static<T>> {
  const named = new Map(components.map((part) => [`${String(Object(part)['$id'])}#`, part]));
  const whole = (schema: object): object =>
    JSON.parse(JSON.stringify(schema), (_key, value: unknown) => {
      const part = named.get(String(Object(value)['$ref']));
      return part === undefined ? value : whole(part);
    });
  return Type.Unsafe<Static<T>>(whole(answer));
}
