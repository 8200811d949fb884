/** What a person chooses for himself, as JSON Schema. */

import { Type } from 'typebox';
import { langPattern } from '../../access/identity.ts';
import { succeeded } from './words.ts';

export const userSettings = Type.Object({
  lang: Type.String({
    pattern: langPattern,
    description: 'a language code such as "de", with an optional region such as "de-AT"',
  }),
  tosAccepted: Type.Boolean({ description: 'Terms of service accepted.' }),
});

export const settingsBody = Type.Partial(userSettings);
export const settingsAnswer = Type.Object({ ...succeeded.properties, data: userSettings });
