/** Generators that name themselves in the field for the program, whole and alone, or with a version behind the name. */

import type { ForeignTexts } from '../foreign-texts.ts';
import type { Recognised } from './recognise.ts';

/** Where programs sign. `Make` is for cameras, but some services write their name there. */
export const toolFields = ['Software', 'CreatorTool'] as const;

/** Programs that do nothing but generate, as they write themselves. */
const generators: readonly (readonly [RegExp, string])[] = [
  [/^adobe firefly/i, 'Adobe Firefly'],
  [/^bing image creator/i, 'Bing Image Creator'],
  [/^craiyon/i, 'Craiyon'],
  [/^dall[-·.\s]?e/i, 'DALL-E'],
  [/^diffusionbee/i, 'DiffusionBee'],
  [/^draw things/i, 'Draw Things'],
  [/^dreamstudio/i, 'DreamStudio'],
  [/^fooocus/i, 'Fooocus'],
  [/^(?:apple )?image playground/i, 'Image Playground'],
  [/^ideogram(?:[. ]ai)?/i, 'Ideogram'],
  [/^leonardo[. ]ai/i, 'Leonardo.Ai'],
  [/^midjourney/i, 'Midjourney'],
  [/^nightcafe(?: studio)?/i, 'NightCafe'],
  [/^novelai/i, 'NovelAI'],
  [/^stable diffusion(?: xl)?/i, 'Stable Diffusion'],
];

/** Nothing, or a version: `v6.1`, `3`, `2.0 (Web)`. */
const rest = /^(?: ?v?\d[\d.]*(?: \([^)]{1,40}\))?)?$/i;

export function recogniseToolField(texts: ForeignTexts): readonly Recognised[] {
  return texts.of(...toolFields, 'Make').flatMap((text): readonly Recognised[] => {
    const generator = generatorNamed(text.text);
    return generator === null ? [] : [{ text, origin: 'ai-generated', generator }];
  });
}

/** The generator that `name` is the name of; null when it is more or something else. */
export function generatorNamed(name: string): string | null {
  for (const [pattern, generator] of generators) {
    const begins = pattern.exec(name.trim())?.[0];
    if (begins !== undefined && rest.test(name.trim().slice(begins.length))) return generator;
  }
  return null;
}
