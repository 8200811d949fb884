/** The names that generators of pictures write. */

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
