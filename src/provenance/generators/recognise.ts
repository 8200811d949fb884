/** The contract of all recognisers of generators, and the one list of them. */

import type { ForeignText, ForeignTexts } from '../foreign-texts.ts';
import { recogniseAigcLabel } from './aigc-label.ts';
import { recogniseComfyUi } from './comfyui.ts';
import { recogniseJsonParameters } from './json-parameters.ts';
import { recogniseSignedFields } from './known-fields.ts';
import { recogniseSettingsLine } from './settings-line.ts';
import { recogniseToolField } from './tool-field.ts';
import type { DeclaredOrigin } from '../../contract/vocabulary.ts';

export interface Recognised {
  /** Where it stands. */
  readonly text: ForeignText;
  readonly origin: Exclude<DeclaredOrigin, 'captured'>;
  readonly generator: string | null;
}

/**
 * Recognises a structure that a program leaves behind, never a word: a photograph whose caption speaks of a generator is
 * a photograph. Knows one format or one family.
 */
export type Recogniser = (texts: ForeignTexts) => readonly Recognised[];

const recognisers: readonly Recogniser[] = [
  recogniseSettingsLine,
  recogniseJsonParameters,
  recogniseComfyUi,
  recogniseSignedFields,
  recogniseAigcLabel,
  recogniseToolField,
];

/** One entry a text and generator. */
export function recogniseGenerators(texts: ForeignTexts): readonly Recognised[] {
  const byText = new Map<ForeignText, Recognised>();
  for (const recognise of recognisers) {
    for (const found of recognise(texts)) {
      if (!byText.has(found.text)) byText.set(found.text, found);
    }
  }
  return [...byText.values()];
}
