/** Recognises generators by text that they write into a file; for those that write JSON, see `generator-json.ts`. */

import type { FileText } from '../image/file-texts.ts';
import { asMembers, type ForeignTexts, parseObject, type Recognised } from './file-texts.ts';
import { recogniseJson } from './generator-json.ts';

/**
 * Recognises a structure that a program leaves behind, never a mere word: a photograph whose caption mentions a
 * generator is still a photograph. Each recogniser knows one format, or one family of formats.
 */
type Recogniser = (texts: ForeignTexts) => readonly Recognised[];

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

/** Fields in which programs write their name; some services also use `Make`, which is meant for cameras. */
export const toolFields = ['Software', 'CreatorTool', 'ImageEditingSoftware'] as const;

const uuid = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';

/** The prompt and its options, then the job identifier: `a harbour --ar 3:2 --v 6.1 Job ID: <UUID>`. */
const midjourneyJob = new RegExp(`\\s--[a-z]+\\b.*\\sJob ID: ${uuid}$`, 'is');

const recognisers: readonly Recogniser[] = [
  (texts) => texts.all.flatMap((text) => recogniseLine(text) ?? []),
  recogniseJson,
  recogniseDream,
  // These are recognised by fixed values in particular fields.
  recogniseMidjourney,
  recogniseFlux,
  recogniseGoogle,
  recogniseGrok,
  recogniseAigcLabel,
  recogniseToolField,
];

/** One result for each text and generator. */
export function recogniseGenerators(texts: ForeignTexts): readonly Recognised[] {
  const all = recognisers.flatMap((recognise) => recognise(texts));
  return Array.from(Map.groupBy(all, ({ text }) => text).values(), ([first]) => first!);
}

/** InvokeAI's original format was a command line: `"a harbour" -s 50 -S 42 -W 512 -H 512 -C 7.5 -A k_lms`. */
function recogniseDream(texts: ForeignTexts): readonly Recognised[] {
  const options = [/ -s ?\d/, / -S ?-?\d/, / -W ?\d/, / -H ?\d/];
  return texts.all
    .filter(({ text }) => {
      const afterPrompt = text.slice(text.lastIndexOf('"') + 1);
      return text.startsWith('"') && options.every((option) => option.test(afterPrompt));
    })
    .map((text) => ({ text, origin: 'ai-generated', generator: 'InvokeAI' }));
}

function recogniseMidjourney(texts: ForeignTexts): readonly Recognised[] {
  return texts.all
    .filter(({ text }) => midjourneyJob.test(text.trimEnd().slice(-2000)))
    .map((text) => ({ text, origin: 'ai-generated', generator: 'Midjourney' }));
}

/** Black Forest Labs' own program writes its name into the field for the camera maker. */
function recogniseFlux(texts: ForeignTexts): readonly Recognised[] {
  const isMaker = texts.of('Make').some(({ text }) => text.startsWith('Black Forest Labs'));
  if (!isMaker) return [];
  return texts
    .of('Software')
    .filter(({ text }) => text.startsWith('AI generated;'))
    .map((text) => ({
      text,
      origin: /;(?:fill|inpaint)/.test(text.text) ? 'ai-manipulated' : 'ai-generated',
      generator: 'FLUX (Black Forest Labs)',
    }));
}

/** The whole credit line must match, in IPTC or XMP. */
function recogniseGoogle(texts: ForeignTexts): readonly Recognised[] {
  return texts.of('Credit').flatMap((text): readonly Recognised[] => {
    const [, done] = /^(Made|Edited) with Google AI$/.exec(text.text) ?? [];
    if (done === undefined) return [];
    const origin = done === 'Made' ? 'ai-generated' : 'ai-manipulated';
    return [{ text, origin, generator: 'Google AI' }];
  });
}

/** The description must be a signature of at least 64 bytes, and the artist a UUID. */
function recogniseGrok(texts: ForeignTexts): readonly Recognised[] {
  const isArtist = new RegExp(`^${uuid}$`, 'i');
  if (!texts.of('Artist').some(({ text }) => isArtist.test(text))) return [];
  return texts
    .of('ImageDescription', 'UserComment')
    .filter(({ text }: FileText) => /^Signature: [A-Za-z0-9+/]{86,}={0,2}$/.test(text))
    .map((text) => ({ text, origin: 'ai-generated', generator: 'Grok (xAI)' }));
}

function recogniseToolField(texts: ForeignTexts): readonly Recognised[] {
  return texts.of(...toolFields, 'Make').flatMap((text): readonly Recognised[] => {
    const generator = generatorNamed(text.text);
    return generator === null ? [] : [{ text, origin: 'ai-generated', generator }];
  });
}

/** The generator whose name is exactly `name`; null if the text contains anything else. */
export function generatorNamed(name: string): string | null {
  for (const [pattern, generator] of generators) {
    const begins = pattern.exec(name.trim())?.[0];
    if (begins !== undefined && rest.test(name.trim().slice(begins.length))) return generator;
  }
  return null;
}

/**
 * Recognises the label that Chinese law requires on generated media: a JSON object with `Label` and the producer. 1
 * declares generated content; 2 (possible) and 3 (suspected) are guesses, not declarations.
 *
 * @see GB 45438-2025, 6.2 and Annex E: property `AIGC` of the TC260 namespace in XMP. Generators also write it as PNG
 *   text and as the EXIF user comment.
 */
function recogniseAigcLabel(texts: ForeignTexts): readonly Recognised[] {
  return texts
    .of('AIGC', 'UserComment')
    .filter(({ text, field }) => {
      const members = parseObject(text) ?? {};
      const label = field === 'AIGC' ? members : asMembers(members['AIGC']);
      const { Label: isGenerated, ContentProducer: producer, ProduceID: id } = label;
      const isNamed = typeof producer === 'string' || typeof id === 'string';
      return isNamed && (isGenerated === '1' || isGenerated === 1);
    })
    .map((text) => ({ text, origin: 'ai-generated', generator: null }));
}

const maxLineLength = 20_000;
/** Prompts may contain the word "Steps" as well, but the settings come last. */
const maxTries = 20;

/**
 * Parses the line that Stable Diffusion web UI (AUTOMATIC1111) and compatible programs write after the prompt: `Steps:
 * 20, Sampler: Euler a, CFG scale: 7, Seed: 1, Size: 512x512, ...`. Some services remove the line breaks before it.
 */
function recogniseLine(text: FileText): Recognised | null {
  // Some programs escape their line breaks.
  const whole = text.text.replaceAll(String.raw`\n`, '\n').trim();
  const starts = Array.from(whole.matchAll(/\bSteps: ?\d/g), ({ index }) => index);
  for (const start of starts.slice(-maxTries)) {
    const settings = settingsAt(whole, start);
    if (settings === null) continue;
    const isInpainted = settings.has('Mask blur') || settings.has('Inpaint area');
    const origin = isInpainted ? 'ai-manipulated' : 'ai-generated';
    return { text, origin, generator: programName(settings) };
  }
  return null;
}

/** The settings in the line in which `Steps` begins at `start`; null if the text merely mentions steps. */
function settingsAt(whole: string, start: number): ReadonlyMap<string, string> | null {
  const before = whole
    .slice(Math.max(0, start - maxLineLength), start)
    .split(/[\r\n]/)
    .at(-1)!;
  const [after = ''] = whole.slice(start, start + maxLineLength).split(/[\r\n]/);
  const isLine = /^\s*(?:[A-Z][\w ]{0,40}: [^:]{0,200}, )*$/.test(before.slice(-500));
  if (isLine && before.length <= 500) return complete(settingsIn(before + after));
  // On the same line as the prompt, the settings must end the text, and not with a full stop or the like.
  const isEnd = start + after.length === whole.length && !/[.!?]$/.test(after);
  return isEnd && !leadsIn.test(before) ? complete(settingsIn(after)) : null;
}

const leadsIn =
  /\b(?:are|is|like|said|says|settings|used|using|values|was|were|with|wrote)[\s:"']*$/i;

/** Parses `Name: value, Name: value`; a quoted value may contain commas. */
function settingsIn(line: string): ReadonlyMap<string, string> {
  const pairs = line.matchAll(/(?:^|,)\s*([A-Za-z][\w ]{0,60}): ?("[^"]*"|[^,]*)/g);
  return new Map([...pairs].map(([, name = '', value = '']) => [name, value.trim()] as const));
}

/** For each kind of setting, its names, which differ between forks, and the pattern of its values. */
const kinds: readonly (readonly [names: readonly string[], pattern: RegExp])[] = [
  [['Sampler'], /^[A-Za-z]/],
  [
    ['CFG scale', 'CFG Scale', 'Guidance Scale', 'Guidance', 'Distilled CFG Scale'],
    /^\d{1,4}(?:\.\d+)?$/,
  ],
  [['Size'], /^\d{2,5} ?[x×] ?\d{2,5}$/],
  [['Model hash', 'Model'], /^\S/],
  [['Schedule type', 'Scheduler'], /^[A-Za-z]/],
  [['Version', 'App'], /^\S/],
];

/** The settings, if they include steps and seed, which every generation needs, and two more kinds; otherwise null. */
function complete(settings: ReadonlyMap<string, string>): ReadonlyMap<string, string> | null {
  const is = (names: readonly string[], pattern: RegExp) =>
    names.some((name) => pattern.test(settings.get(name) ?? ''));
  const isGenerated = is(['Steps'], /^\d{1,5}$/) && is(['Seed'], /^-?\d{1,20}$/);
  const others = kinds.filter(([names, pattern]) => is(names, pattern)).length;
  return isGenerated && others >= 2 ? settings : null;
}

/** The program writes its name to `App`, or is recognised by the format of its version. */
function programName(settings: ReadonlyMap<string, string>): string {
  const version = settings.get('Version') ?? '';
  if (settings.has('Civitai resources')) return 'Civitai';
  if (settings.get('App')?.startsWith('SD.Next')) return 'SD.Next';
  if (version.startsWith('Fooocus')) return 'Fooocus';
  if (version === 'ComfyUI') return 'ComfyUI';
  if (/^f\d|^neo\b/.test(version)) return 'Stable Diffusion web UI Forge';
  if (/^v1\.\d/.test(version)) return 'Stable Diffusion web UI (AUTOMATIC1111)';
  return 'Stable Diffusion web UI (AUTOMATIC1111, Forge, ...)';
}
