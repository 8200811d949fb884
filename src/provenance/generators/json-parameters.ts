/** Generators that leave their settings as one JSON object: InvokeAI, Fooocus, SwarmUI, NovelAI; and InvokeAI's first form. */

import { type Members, membersOf, parseObject } from '../foreign.ts';
import type { ForeignText, ForeignTexts } from '../foreign-texts.ts';
import type { Recognised } from './recognise.ts';

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
  texts: readonly ForeignText[],
  isOf: (settings: Members) => boolean,
  generator: string,
): readonly Recognised[] {
  return texts.flatMap((text) => {
    const settings = parseObject(text.text);
    if (settings === null || !isOf(settings)) return [];
    return generated(text, generator, settings);
  });
}

function generated(text: ForeignText, generator: string, settings: Members = {}): Recognised {
  const mode = settings['generation_mode'];
  const isPart = isText(mode) && /inpaint|outpaint/.test(mode);
  return { text, origin: isPart ? 'ai-manipulated' : 'ai-generated', generator };
}

/** Its numbers are texts. */
function isFooocus({ version, seed, steps }: Members): boolean {
  return isText(version) && /^Fooocus\b/.test(version) && isNumeric(seed) && isNumeric(steps);
}

function isSwarm(settings: Members): boolean {
  const { seed, steps, prompt } = membersOf(settings['sui_image_params']);
  return isNumeric(seed) && isNumeric(steps) && isText(prompt);
}

function isInvoke({ generation_mode: mode, positive_prompt: prompt, seed }: Members): boolean {
  return isText(prompt) && (isText(mode) || isNumeric(seed));
}

function isEarlyInvoke({ app_id: app, image }: Members): boolean {
  return isText(app) && /^invoke-ai\//i.test(app) && Object.keys(membersOf(image)).length > 0;
}

/** `"a harbour" -s 50 -S 42 -W 512 -H 512 -C 7.5 -A k_lms`: steps, seed and size as on a command line. */
function isDream({ text }: ForeignText): boolean {
  const options = text.slice(text.lastIndexOf('"') + 1);
  return (
    text.startsWith('"') &&
    [/ -s ?\d/, / -S ?-?\d/, / -W ?\d/, / -H ?\d/].every((option) => option.test(options))
  );
}

/** The comment counts only beside the program's name. */
function novelComments(texts: ForeignTexts): readonly ForeignText[] {
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
