/**
 * Parses the settings line that Stable Diffusion web UI (AUTOMATIC1111) and compatible programs write after the prompt:
 * `Steps: 20, Sampler: Euler a, CFG scale: 7, Seed: 1, Size: 512x512, ...`. Some services lose the line breaks before it.
 */

import type { FileText } from '../image/file-texts.ts';
import type { ForeignTexts, Recognised } from './file-texts.ts';

const maxLineLength = 20_000;
/** Prompts may contain the word "Steps" too; the settings come last. */
const maxTries = 20;

export function recogniseSettingsLine(texts: ForeignTexts): readonly Recognised[] {
  return texts.all.flatMap((text) => recogniseLine(text) ?? []);
}

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

/** The settings in the line with `Steps` at `start`; null if the text merely mentions steps. */
function settingsAt(whole: string, start: number): ReadonlyMap<string, string> | null {
  const before = whole
    .slice(Math.max(0, start - maxLineLength), start)
    .split(/[\r\n]/)
    .at(-1)!;
  const [after = ''] = whole.slice(start, start + maxLineLength).split(/[\r\n]/);
  const isLine = /^\s*(?:[A-Z][\w ]{0,40}: [^:]{0,200}, )*$/.test(before.slice(-500));
  if (isLine && before.length <= 500) return complete(settingsIn(before + after));
  // On one line with the prompt, the settings must end the text and not end like a sentence.
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

/** For each kind of setting, its names (which differ between forks) and the pattern of its value. */
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

/** Requires steps and seed, without which nothing is generated, and two more kinds of settings; otherwise null. */
function complete(settings: ReadonlyMap<string, string>): ReadonlyMap<string, string> | null {
  const is = (names: readonly string[], pattern: RegExp) =>
    names.some((name) => pattern.test(settings.get(name) ?? ''));
  const isGenerated = is(['Steps'], /^\d{1,5}$/) && is(['Seed'], /^-?\d{1,20}$/);
  const others = kinds.filter(([names, pattern]) => is(names, pattern)).length;
  return isGenerated && others >= 2 ? settings : null;
}

/** The program writes its name to `App`, or is recognisable by its version format. */
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
