/**
 * ComfyUI stores the graph that made a picture: `prompt` as it ran (nodes by number, each with `class_type` and `inputs`),
 * `workflow` as it was drawn (a list of nodes with their `type`). Other formats carry the same two behind their names in
 * EXIF. The program also scales and crops photographs, so a graph counts only when something in it samples.
 */

import type { FileText } from '../image/file-texts.ts';
import {
  type ForeignTexts,
  asList,
  type Members,
  type Recognised,
  asMembers,
  parseObject,
} from './file-texts.ts';

const maxNodes = 5000;

export function recogniseComfyUi(texts: ForeignTexts): readonly Recognised[] {
  const inPng = texts.of('prompt', 'workflow');
  const inExif = texts
    .of('Make', 'Model', 'ImageDescription', 'UserComment')
    .filter(({ text }) => /^(?:prompt|workflow):\s*\{/i.test(text));
  return [...inPng, ...inExif].flatMap((text) => recogniseGraph(text) ?? []);
}

function recogniseGraph(text: FileText): Recognised | null {
  const kinds = kindsOfNodes(text.text);
  if (!kinds.some((kind) => /sampler/i.test(kind))) return null;
  const isInpainted =
    kinds.some((kind) => /inpaint|SetLatentNoiseMask/i.test(kind)) &&
    kinds.some((kind) => kind.startsWith('LoadImage'));
  return { text, origin: isInpainted ? 'ai-manipulated' : 'ai-generated', generator: 'ComfyUI' };
}

/** Names of the node classes of a graph of either form; none when it is no graph. */
function kindsOfNodes(text: string): readonly string[] {
  const json = text.replace(/^\w+:/, '');
  // Python writes NaN where a node is to run each time; that is no JSON.
  const graph = parseObject(json) ?? parseObject(json.replaceAll(/\bNaN\b/g, 'null')) ?? {};
  const drawn = asList(graph['nodes']).map((node) => asMembers(node)['type']);
  const ran = Object.values(graph).map(asMembers).filter(isNode);
  return [...drawn, ...ran.map((node) => node['class_type'])]
    .slice(0, maxNodes)
    .filter((kind) => typeof kind === 'string');
}

function isNode(node: Members): boolean {
  return typeof node['class_type'] === 'string' && typeof node['inputs'] === 'object';
}

/** Generators that store their settings as one JSON object: InvokeAI, Fooocus, SwarmUI, NovelAI; and InvokeAI's first form. */
export function recogniseJsonParameters(texts: ForeignTexts): readonly Recognised[] {
  const settings = texts.of('parameters', 'UserComment');
  return [
    ...recogniseIn(settings, isFooocus, 'Fooocus'),
    ...recogniseIn(settings, isSwarm, 'SwarmUI'),
    ...recogniseIn(texts.of('invokeai_metadata'), isInvoke, 'InvokeAI'),
    ...recogniseIn(texts.of('sd-metadata'), isEarlyInvoke, 'InvokeAI'),
    ...texts
      .of('Dream')
      .filter(isDream)
      .map((text) => generated(text, 'InvokeAI')),
    ...recogniseIn(novelComments(texts), isNovel, 'NovelAI'),
  ];
}

function recogniseIn(
  texts: readonly FileText[],
  isOf: (settings: Members) => boolean,
  generator: string,
): readonly Recognised[] {
  return texts.flatMap((text) => {
    const settings = parseObject(text.text);
    if (settings === null || !isOf(settings)) return [];
    return generated(text, generator, settings);
  });
}

function generated(text: FileText, generator: string, settings: Members = {}): Recognised {
  const mode = settings['generation_mode'];
  const isPart = isText(mode) && /inpaint|outpaint/.test(mode);
  return { text, origin: isPart ? 'ai-manipulated' : 'ai-generated', generator };
}

/** Its numbers are texts. */
function isFooocus({ version, seed, steps }: Members): boolean {
  return isText(version) && /^Fooocus\b/.test(version) && isNumeric(seed) && isNumeric(steps);
}

function isSwarm(settings: Members): boolean {
  const { seed, steps, prompt } = asMembers(settings['sui_image_params']);
  return isNumeric(seed) && isNumeric(steps) && isText(prompt);
}

function isInvoke({ generation_mode: mode, positive_prompt: prompt, seed }: Members): boolean {
  return isText(prompt) && (isText(mode) || isNumeric(seed));
}

function isEarlyInvoke({ app_id: app, image }: Members): boolean {
  return isText(app) && /^invoke-ai\//i.test(app) && Object.keys(asMembers(image)).length > 0;
}

/** `"a harbour" -s 50 -S 42 -W 512 -H 512 -C 7.5 -A k_lms`: steps, seed and size as on a command line. */
function isDream({ text }: FileText): boolean {
  const options = text.slice(text.lastIndexOf('"') + 1);
  return (
    text.startsWith('"') &&
    [/ -s ?\d/, / -S ?-?\d/, / -W ?\d/, / -H ?\d/].every((option) => option.test(options))
  );
}

/** The comment counts only next to the program's name. */
function novelComments(texts: ForeignTexts): readonly FileText[] {
  const isNovelAi = texts.of('Software').some(({ text }) => text === 'NovelAI');
  return isNovelAi ? texts.of('Comment') : [];
}

function isNovel({ steps, seed, sampler }: Members): boolean {
  return isNumeric(steps) && isNumeric(seed) && isText(sampler);
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isNumeric(value: unknown): boolean {
  return typeof value === 'number' || (isText(value) && /^-?\d+$/.test(value));
}

// The settings line of Stable Diffusion web UI (AUTOMATIC1111) and of all programs that write like it: behind the prompt
// a line `Steps: 20, Sampler: Euler a, CFG scale: 7, Seed: 1, Size: 512x512, ...`, as PNG text `parameters` or as the
// user comment of EXIF.

const maxLineLength = 20_000;

export function recogniseSettingsLine(texts: ForeignTexts): readonly Recognised[] {
  return texts
    .of('parameters', 'UserComment', 'ImageDescription', 'description')
    .flatMap((text) => recogniseLine(text) ?? []);
}

function recogniseLine(text: FileText): Recognised | null {
  const line = text.text.split('\n').findLast((one) => one.trimStart().startsWith('Steps: '));
  if (line === undefined) return null;
  const settings = settingsIn(line.slice(0, maxLineLength));
  if (!isComplete(settings)) return null;
  const isInpainted = settings.has('Mask blur') || settings.has('Inpaint area');
  return {
    text,
    origin: isInpainted ? 'ai-manipulated' : 'ai-generated',
    generator: programName(settings),
  };
}

/** `Name: value, Name: value`; a value in quotation marks may contain commas. */
function settingsIn(line: string): ReadonlyMap<string, string> {
  const pairs = line.matchAll(/(?:^|, )\s*([A-Za-z][\w ]{0,60}): ("[^"]*"|[^,]*)/g);
  return new Map([...pairs].map(([, name = '', value = '']) => [name, value.trim()] as const));
}

/** The four settings without which nothing is generated, each of its own kind. */
function isComplete(settings: ReadonlyMap<string, string>): boolean {
  const is = (name: string, pattern: RegExp) => pattern.test(settings.get(name) ?? '');
  return (
    is('Steps', /^\d{1,5}$/) &&
    is('Sampler', /^[A-Za-z]/) &&
    is('CFG scale', /^\d{1,4}(?:\.\d+)?$/) &&
    is('Seed', /^-?\d{1,20}$/)
  );
}

/** The program writes its name to `App`, or by how it counts its versions. */
function programName(settings: ReadonlyMap<string, string>): string {
  const version = settings.get('Version') ?? '';
  if (settings.has('Civitai resources')) return 'Civitai';
  if (settings.get('App')?.startsWith('SD.Next')) return 'SD.Next';
  if (version.startsWith('Fooocus')) return 'Fooocus';
  if (version === 'ComfyUI') return 'ComfyUI';
  if (/^f\d/.test(version)) return 'Stable Diffusion web UI Forge';
  if (/^v1\.\d/.test(version)) return 'Stable Diffusion web UI (AUTOMATIC1111)';
  return 'Stable Diffusion web UI (AUTOMATIC1111, Forge, ...)';
}
