/** The terms with which a file declares how its picture was made, and the names of generators. */

import type { DeclaredOrigin } from '../contract/vocabulary.ts';

/**
 * What each term declares; null if it means neither a camera nor a trained model: drawings, screenshots, pictures
 * computed by a formula (`algorithmicMedia`), composites of arbitrary parts.
 *
 * @see IPTC NewsCodes, scheme digitalsourcetype (cv.iptc.org/newscodes/digitalsourcetype), including retired terms;
 *   C2PA Technical Specification 2.3, on actions, for its own term, `trainedAlgorithmicData`.
 */
const origins = {
  trainedAlgorithmicMedia: 'ai-generated',
  trainedAlgorithmicData: 'ai-generated',
  compositeWithTrainedAlgorithmicMedia: 'ai-manipulated',
  digitalCapture: 'captured',
  computationalCapture: 'captured',
  negativeFilm: 'captured',
  positiveFilm: 'captured',
  print: 'captured',
  algorithmicMedia: null,
  algorithmicallyEnhanced: null,
  composite: null,
  compositeCapture: null,
  compositeSynthetic: null,
  dataDrivenMedia: null,
  digitalArt: null,
  digitalCreation: null,
  humanEdits: null,
  minorHumanEdits: null,
  screenCapture: null,
  softwareImage: null,
  virtualRecording: null,
} as const satisfies Readonly<Record<string, DeclaredOrigin | null>>;

export type SourceType = keyof typeof origins;

const types = Object.keys(origins).filter((type): type is SourceType => type in origins);

/** Matches the term at the end of a URI of either scheme, after `digsrctype:`, or on its own. */
const written =
  /^(?:https?:\/\/(?:cv\.iptc\.org\/newscodes|c2pa\.org)\/digitalsourcetype\/|digsrctype:|c2pa\.)?([A-Za-z]+)\/?$/;

export function readSourceType(text: string | null): SourceType | null {
  const term = written.exec(text?.trim() ?? '')?.[1]?.toLowerCase();
  return types.find((type) => type.toLowerCase() === term) ?? null;
}

/** What the type declares; null if it is unknown, or declares neither origin. */
export function originOfSourceType(text: string | null): DeclaredOrigin | null {
  const type = readSourceType(text);
  return type === null ? null : origins[type];
}

/** Optional version suffix: `v6.1`, `3`, `2.0 (Web)`. */
const rest = /^(?: ?v?\d[\d.]*(?: \([^)]{1,40}\))?)?$/i;

/** Names written by programs that do nothing but generate. */
const generators: readonly (readonly [RegExp, string])[] = [
  [/^adobe firefly/i, 'Adobe Firefly'],
  [/^bing image creator/i, 'Bing Image Creator'],
  [/^chatgpt/i, 'ChatGPT'],
  [/^craiyon/i, 'Craiyon'],
  [/^dall[-·.\s]?e/i, 'DALL-E'],
  [/^diffusionbee/i, 'DiffusionBee'],
  [/^draw things/i, 'Draw Things'],
  [/^dreamstudio/i, 'DreamStudio'],
  [/^easy diffusion/i, 'Easy Diffusion'],
  [/^flux[. ]?[12](?: ?\[?(?:dev|pro|schnell|max|flex)\]?)?/i, 'FLUX (Black Forest Labs)'],
  [/^fooocus/i, 'Fooocus'],
  [/^(?:google )?(?:gemini nano banana|imagen)/i, 'Google Imagen'],
  [/^google gemini/i, 'Google Gemini'],
  [/^gpt[- ]?(?:4o|image)/i, 'GPT (OpenAI)'],
  [/^grok(?: imagine)?/i, 'Grok (xAI)'],
  [/^(?:apple )?image playground/i, 'Image Playground'],
  [/^ideogram(?:[. ]ai)?/i, 'Ideogram'],
  [/^leonardo[. ]ai/i, 'Leonardo.Ai'],
  [/^microsoft designer/i, 'Microsoft Designer'],
  [/^midjourney/i, 'Midjourney'],
  [/^nightcafe(?: studio)?/i, 'NightCafe'],
  [/^novelai/i, 'NovelAI'],
  [/^recraft/i, 'Recraft'],
  [/^seedream/i, 'Seedream'],
  [/^stable diffusion(?: xl)?/i, 'Stable Diffusion'],
];

/** The generator whose name is exactly `name`; null if the text contains anything else. */
export function generatorNamed(name: string): string | null {
  for (const [pattern, generator] of generators) {
    const begins = pattern.exec(name.trim())?.[0];
    if (begins !== undefined && rest.test(name.trim().slice(begins.length))) return generator;
  }
  return null;
}
