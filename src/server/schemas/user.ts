/** What a user sets for himself, as JSON Schema. */

import { Type } from 'typebox';
import { succeeded } from './words.ts';

export const userSettings = Type.Object({
  lang: Type.String({
    minLength: 2,
    maxLength: 16,
    description: 'An ISO 639-1 code, with an optional region: de, en-GB.',
  }),
  tosAccepted: Type.Boolean({ description: 'Terms of service accepted.' }),
});

export const settingsBody = Type.Partial(userSettings);
export const settingsAnswer = Type.Object({ ...succeeded.properties, data: userSettings });
