/** Recognises generators by a structure they write, never by a word: a caption may mention a generator. */

import type { FileText } from '../image/file-texts.ts';
import {
  asList,
  asMembers,
  type ForeignTexts,
  type Members,
  parseObject,
  type Recognised,
} from './file-texts.ts';
import { generatorNamed } from './generator-names.ts';

/** Fields in which programs write their name; some services also use `Make`, which is meant for cameras. */
export const toolFields = ['Software', 'CreatorTool', 'ImageEditingSoftware'] as const;

const uuid = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';

/** The prompt and its options, then the job identifier: `a harbour --ar 3:2 --v 6.1 Job ID: <UUID>`. */
const midjourneyJob = new RegExp(`\\s--[a-z]+\\b.*\\sJob ID: ${uuid}$`, 'is');

const isUuid = new RegExp(`^${uuid}$`, 'i');

/** Fixed values in particular fields, or anywhere if no field is given, and the generator that writes them. */
const fixed: readonly {
  readonly generator: string | null;
  readonly fields?: readonly string[];
  readonly matches: (text: FileText, all: ForeignTexts) => boolean;
  /** Whether only a part was generated. */
  readonly isPart?: RegExp;
}[] = [
  {
    // The original format was a command line: `"a harbour" -s 50 -S 42 -W 512 -H 512 -C 7.5 -A k_lms`.
    generator: 'InvokeAI',
    matches: ({ text }) => {
      const afterPrompt = text.slice(text.lastIndexOf('"') + 1);
      const options = [/ -s ?\d/, / -S ?-?\d/, / -W ?\d/, / -H ?\d/];
      return text.startsWith('"') && options.every((option) => option.test(afterPrompt));
    },
  },
  {
    generator: 'Midjourney',
    matches: ({ text }) => midjourneyJob.test(text.trimEnd().slice(-2000)),
  },
  {
    // Black Forest Labs' own program writes its name into the field for the camera maker.
    generator: 'FLUX (Black Forest Labs)',
    fields: ['Software'],
    matches: ({ text }, all) =>
      text.startsWith('AI generated;') &&
      all.of('Make').some((make) => make.text.startsWith('Black Forest Labs')),
    isPart: /;(?:fill|inpaint)/,
  },
  {
    // The whole credit line must match, in IPTC or XMP.
    generator: 'Google AI',
    fields: ['Credit'],
    matches: ({ text }) => /^(?:Made|Edited) with Google AI$/.test(text),
    isPart: /^Edited/,
  },
  {
    // The description must be a signature of at least 64 bytes, and the artist a UUID.
    generator: 'Grok (xAI)',
    fields: ['ImageDescription', 'UserComment'],
    matches: ({ text }, all) =>
      /^Signature: [A-Za-z0-9+/]{86,}={0,2}$/.test(text) &&
      all.of('Artist').some((artist) => isUuid.test(artist.text)),
  },
  { generator: null, fields: ['AIGC', 'UserComment'], matches: isAigcLabel },
];

/** One result for each text and generator. */
export function recogniseGenerators(texts: ForeignTexts): readonly Recognised[] {
  const all: readonly Recognised[] = [
    ...texts.all.flatMap((text) => recogniseLine(text) ?? []),
    ...recogniseJson(texts),
    ...fixed.flatMap(({ generator, fields, matches, isPart }) =>
      (fields ? texts.of(...fields) : texts.all)
        .filter((text) => matches(text, texts))
        .map((text) => ({ text, origin: originIf(isPart?.test(text.text)), generator })),
    ),
    ...texts.of(...toolFields, 'Make').flatMap((text): readonly Recognised[] => {
      const generator = generatorNamed(text.text);
      return generator === null ? [] : [{ text, origin: 'ai-generated', generator }];
    }),
  ];
  return Array.from(Map.groupBy(all, ({ text }) => text).values(), ([first]) => first!);
}

function originIf(isPart = false): Recognised['origin'] {
  return isPart ? 'ai-manipulated' : 'ai-generated';
}

/**
 * Recognises the label that Chinese law requires on generated media: a JSON object with `Label` and the producer. 1
 * declares generated content; 2 (possible) and 3 (suspected) are guesses, not declarations.
 *
 * @see GB 45438-2025, 6.2 and Annex E: property `AIGC` of the TC260 namespace in XMP. Generators also write it as PNG
 *   text and as the EXIF user comment.
 */
function isAigcLabel({ text, field }: FileText): boolean {
  const members = parseObject(text) ?? {};
  const label = field === 'AIGC' ? members : asMembers(members['AIGC']);
  const { Label: isGenerated, ContentProducer: producer, ProduceID: id } = label;
  const isNamed = typeof producer === 'string' || typeof id === 'string';
  return isNamed && (isGenerated === '1' || isGenerated === 1);
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
    const origin = originIf(settings.has('Mask blur') || settings.has('Inpaint area'));
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
const settingKinds: readonly (readonly [names: readonly string[], pattern: RegExp])[] = [
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
  const others = settingKinds.filter(([names, pattern]) => is(names, pattern)).length;
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

// Generators that store their settings as JSON, in any field: ComfyUI, InvokeAI, Fooocus, SwarmUI, NovelAI and others.

function recogniseJson(texts: ForeignTexts): readonly Recognised[] {
  const isNovelAi = texts.of('Software').some(({ text }) => text === 'NovelAI');
  // Settings may also be separate PNG text chunks, as by Easy Diffusion and programs based on `diffusers`.
  const own = texts.all.filter(({ place }) => place === 'png-text');
  const settings = Object.fromEntries(own.map(({ field, text }) => [field, text]));
  const program = [easyDiffusion, anyProgram].find(([, isOf]) => isOf(settings));
  const prompt = own.find(({ field }) => /^prompt$/i.test(field));
  return [
    ...texts.all.flatMap((text) => recogniseObjects(text, objectsIn(text.text), isNovelAi)),
    ...(program && prompt ? [generated(prompt, program[0])] : []),
  ];
}

/** Keys that contain a generator's settings, either as an object or as JSON text. */
const envelopes = ['prompt', 'workflow', 'parameters', 'metadata', 'Comment', 'extra_pnginfo'];

/** The object in some text, which may begin with a name, and the objects inside it. */
function objectsIn(text: string): readonly Members[] {
  const json = text.replace(/^\s*\w[\w -]{0,30}:\s*(?=\{)/, '');
  // For nodes that run every time, Python writes NaN, which is not valid JSON.
  const outer = parseObject(json) ?? parseObject(json.replaceAll(/\bNaN\b/g, 'null'));
  if (outer === null) return [];
  const inner = envelopes.map((name) => {
    const value = outer[name];
    return typeof value === 'string' ? (parseObject(value) ?? {}) : asMembers(value);
  });
  return [outer, ...inner];
}

function recogniseObjects(text: FileText, objects: readonly Members[], isNovelAi: boolean) {
  const origin = objects.map(originOfGraph).find((it) => it !== null);
  if (origin) return [{ text, origin, generator: 'ComfyUI' }];
  // On their own, these settings could come from any program.
  if (isNovelAi && objects.some(hasSampling)) return [generated(text, 'NovelAI')];
  for (const object of objects) {
    const program = programs.find(([, isOf]) => isOf(object));
    if (program !== undefined) return [generated(text, program[0], object)];
  }
  return [];
}

function generated(text: FileText, generator: string | null, settings: Members = {}): Recognised {
  const mode = settings['generation_mode'];
  const isPart = isText(mode) && /inpaint|outpaint/.test(mode);
  return { text, origin: originIf(isPart), generator };
}

type Program = readonly [name: string | null, isOf: (settings: Members) => boolean];

const easyDiffusion: Program = [
  'Easy Diffusion',
  (settings) =>
    isText(settings['use_stable_diffusion_model'] ?? settings['Stable Diffusion model']) &&
    isNumeric(settings['seed'] ?? settings['Seed']) &&
    isNumeric(settings['num_inference_steps'] ?? settings['Steps']),
];

/** A prompt, a seed, a number of steps and the other inputs of a sampler, which no program writes for a photograph. */
const anyProgram: Program = [
  null,
  (settings) => {
    const has = (is: (value: unknown) => boolean, ...names: readonly string[]) =>
      names.some((name) => is(settings[name]));
    return (
      has(isText, 'prompt', 'Prompt', 'positive_prompt', 'positivePrompt') &&
      has(isNumeric, 'seed', 'Seed') &&
      has(isNumeric, 'steps', 'Steps', 'num_inference_steps', 'ddim_steps', 'sampling_steps') &&
      has(isText, 'sampler', 'Sampler', 'sampler_name', 'scheduler', 'model', 'Model', 'base_model')
    );
  },
];

const programs: readonly Program[] = [
  ['Fooocus', isFooocus],
  [
    'SwarmUI',
    (settings) => {
      const { seed, prompt } = asMembers(settings['sui_image_params']);
      return isNumeric(seed) && isText(prompt);
    },
  ],
  [
    'InvokeAI',
    ({ generation_mode: mode, positive_prompt: prompt, seed }) =>
      isText(prompt) && (isText(mode) || isNumeric(seed)),
  ],
  [
    'InvokeAI',
    ({ app_id: app, image }) =>
      isText(app) && /^invoke-ai\//i.test(app) && Object.keys(asMembers(image)).length > 0,
  ],
  ['InvokeAI', isInvokeGraph],
  [
    'Draw Things',
    ({ c, uc, sampler, seed, steps }) =>
      isText(c) && (isText(uc) || isText(sampler)) && isNumeric(seed) && isNumeric(steps),
  ],
  // Either the text chunks of the PNG as one object, as hidden in the pixels, or the settings, in
  // which `uc` is the negative prompt.
  [
    'NovelAI',
    ({ Software: name, uc, request_type: type, ...settings }) =>
      name === 'NovelAI' || (hasSampling(settings) && (isText(uc) || isText(type))),
  ],
  easyDiffusion,
  anyProgram,
];

/** Fooocus writes numbers as strings. */
function isFooocus(settings: Members): boolean {
  const { version, seed, steps, base_model: model, adm_guidance: guidance } = settings;
  const isNamed =
    (isText(version) && /^Fooocus\b/.test(version)) || (isText(model) && isText(guidance));
  return isNamed && isNumeric(seed) && isNumeric(steps);
}

/** Nodes by name, each with a type; or a list of nodes, with the type in the data of each. */
function isInvokeGraph({ nodes }: Members): boolean {
  return [...asList(nodes), ...Object.values(asMembers(nodes))]
    .map(asMembers)
    .flatMap(({ type, data }) => [type, asMembers(data)['type']])
    .some((kind) => isText(kind) && /^(?:\w+_)?denoise(?:_latents)?$/.test(kind));
}

function hasSampling({ steps, seed, sampler }: Members): boolean {
  return isNumeric(steps) && isNumeric(seed) && isText(sampler);
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isNumeric(value: unknown): boolean {
  return typeof value === 'number' || (isText(value) && /^-?\d+$/.test(value));
}

const maxNodes = 20_000;

const samples = /sampler|UltimateSDUpscale|(?:Face|Segs?)Detailer/i;
/** Nodes that call a hosted model, by vendor; not their helper nodes, which scale a picture or hold a colour. */
const hosted =
  /^(?:OpenAI(?:Dalle|GPTImage)|Flux(?:Pro|KontextPro|KontextMax|2)\w*Node|Ideogram|LumaImage(?!Reference)|Recraft(?:Text|Image)|Stability(?:Stable)?Image|(?:Google)?Gemini\w*Image|GeminiNanoBanana|Imagen|ByteDance(?:Image|Seedream)|Seedream|Kling\w*Image(?:Generation|Expand)|Wan\w*ToImageApi|RunwayTextToImage|Reve\w*Image|Grok\w*Image|Bria\w*Image|HunyuanImage\w*Api|QwenImage\w*Api|Midjourney)/i;
const inpainting = /inpaint|SetLatentNoiseMask|ProFill|ProExpand|ImageExpand|Detailer/i;

/**
 * What ComfyUI's graph generated; null if it only edits its input, or is not a graph. ComfyUI
 * stores a graph as it was run, in `prompt` (nodes by number, each with `class_type` and `inputs`),
 * and as it was drawn, in `workflow` (a list of nodes with a `type`). ComfyUI also scales and crops
 * photographs, so a graph counts only if it contains a sampler or calls a hosted model.
 */
function originOfGraph(graph: Members): Recognised['origin'] | null {
  const kinds = nodeClasses(graph);
  if (!kinds.some((kind) => samples.test(kind) || hosted.test(kind))) return null;
  const isLoaded = kinds.some((kind) => kind.startsWith('LoadImage'));
  return originIf(isLoaded && kinds.some((kind) => inpainting.test(kind)));
}

/** The class names of all nodes in a graph of either form, including those in subgraphs. */
function nodeClasses(graph: Members): readonly string[] {
  const subgraphs = asList(asMembers(graph['definitions'])['subgraphs']);
  const groups = Object.values(asMembers(asMembers(graph['extra'])['groupNodes']));
  const drawn = [graph, ...subgraphs, ...groups]
    .flatMap((part) => asList(asMembers(part)['nodes']))
    .map(asMembers)
    // Nodes that are muted (2) or bypassed (4) do not run.
    .filter(({ mode }) => mode !== 2 && mode !== 4)
    .map(({ type }) => type);
  const ran = Object.values(graph)
    .map(asMembers)
    .filter(({ inputs }) => typeof inputs === 'object')
    .map((node) => node['class_type']);
  return [...drawn, ...ran].slice(0, maxNodes).filter((kind) => typeof kind === 'string');
}
