/** Pieces that several schemas share. */

import { Type } from 'typebox';
import { languages } from '../../report/language.ts';

/** A text that is one of `values`. */
export function oneOf<const T extends readonly string[]>(values: T) {
  return Type.Unsafe<T[number]>({ type: 'string', enum: [...values] });
}

/** A value or null. */
export function orNull<T extends Type.TSchema>(schema: T) {
  return Type.Union([schema, Type.Null()]);
}

/** One statement in each language of the reports. */
export const statement = Type.Object(
  Object.fromEntries(languages.map((language) => [language, Type.String()])),
);

export const dateTime = Type.String({ format: 'date-time' });
export const tenantName = Type.String({
  minLength: 1,
  maxLength: 255,
  description: 'The tenant that the caller acts for.',
});
/** Opaque on purpose: what is not an id of ours is simply not found. */
export const objectId = Type.String({ minLength: 1, maxLength: 64 });
export const succeeded = Type.Object({ success: Type.Literal(true) });
/** A success of which there is no more to say than a sentence. */
export const told = Type.Object({
  ...succeeded.properties,
  data: Type.Object({ message: Type.String() }),
});

export const failed = Type.Object(
  { success: Type.Literal(false), message: Type.String() },
  { $id: 'Failure', description: 'The header x-error-code holds the stable word for the failure.' },
);
