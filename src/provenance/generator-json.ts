/**
 * Recognises generators that store their settings as JSON, in any field: ComfyUI, InvokeAI,
 * Fooocus, SwarmUI, NovelAI and others.
 */

import type { FileText } from '../image/file-texts.ts';
import {
  asList,
  asMembers,
  type ForeignTexts,
  type Members,
  parseObject,
  type Recognised,
} from './file-texts.ts';
import type { DeclaredOrigin } from '../contract/vocabulary.ts';

export function recogniseJson(texts: ForeignTexts): readonly Recognised[] {
  const isNovelAi = texts.of('Software').some(({ text }) => text === 'NovelAI');
  return [
    ...texts.all.flatMap((text) => recogniseObjects(text, objectsIn(text.text), isNovelAi)),
    ...recogniseSingleTexts(texts),
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

function recogniseObjects(
  text: FileText,
  objects: readonly Members[],
  isNovelAi: boolean,
): readonly Recognised[] {
  for (const object of objects) {
    const origin = originOfGraph(object);
    if (origin !== null) return [{ text, origin, generator: 'ComfyUI' }];
  }
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
  return { text, origin: isPart ? 'ai-manipulated' : 'ai-generated', generator };
}

/** Recognises settings stored as separate PNG text chunks, as by Easy Diffusion and programs based on `diffusers`. */
function recogniseSingleTexts(texts: ForeignTexts): readonly Recognised[] {
  const own = texts.all.filter(({ place }) => place === 'png-text');
  const settings = Object.fromEntries(own.map(({ field, text }) => [field, text]));
  const program = [easyDiffusion, anyProgram].find(([, isOf]) => isOf(settings));
  const prompt = own.find(({ field }) => /^prompt$/i.test(field));
  return program && prompt ? [generated(prompt, program[0])] : [];
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
function originOfGraph(graph: Members): Exclude<DeclaredOrigin, 'captured'> | null {
  const kinds = nodeClasses(graph);
  if (!kinds.some((kind) => samples.test(kind) || hosted.test(kind))) return null;
  const isLoaded = kinds.some((kind) => kind.startsWith('LoadImage'));
  return isLoaded && kinds.some((kind) => inpainting.test(kind))
    ? 'ai-manipulated'
    : 'ai-generated';
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
