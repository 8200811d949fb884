/**
 * The settings line of Stable Diffusion web UI (AUTOMATIC1111) and of all programs that write like it, behind the prompt:
 * `Steps: 20, Sampler: Euler a, CFG scale: 7, Seed: 1, Size: 512x512, ...`. Some services lose the line breaks before it.
 */

import type { FileText } from '../image/file-texts.ts';
import type { ForeignTexts, Recognised } from './file-texts.ts';

const maxLineLength = 20_000;
/** Prompts may speak of steps as well; the settings stand behind them. */
const maxTries = 20;

export function recogniseSettingsLine(texts: ForeignTexts): readonly Recognised[] {
  return texts.all.flatMap((text) => recogniseLine(text) ?? []);
}

function recogniseLine(text: FileText): Recognised | null {
  // Some writers escape their line breaks.
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

/** The settings whose line holds `Steps` at `start`; null where the text only speaks of them. */
function settingsAt(whole: string, start: number): ReadonlyMap<string, string> | null {
  const before = whole
    .slice(Math.max(0, start - maxLineLength), start)
    .split(/[\r\n]/)
    .at(-1)!;
  const [after = ''] = whole.slice(start, start + maxLineLength).split(/[\r\n]/);
  const isLine = /^\s*(?:[A-Z][\w ]{0,40}: [^:]{0,200}, )*$/.test(before.slice(-500));
  if (isLine && before.length <= 500) return complete(settingsIn(before + after));
  // In one line with the prompt the settings are the end of the text, and no sentence leads to them.
  const isEnd = start + after.length === whole.length && !/[.!?]$/.test(after);
  return isEnd && !leadsIn.test(before) ? complete(settingsIn(after)) : null;
}

const leadsIn =
  /\b(?:are|is|like|said|says|settings|used|using|values|was|were|with|wrote)[\s:"']*$/i;

/** `Name: value, Name: value`; a value in quotation marks may contain commas. */
function settingsIn(line: string): ReadonlyMap<string, string> {
  const pairs = line.matchAll(/(?:^|,)\s*([A-Za-z][\w ]{0,60}): ?("[^"]*"|[^,]*)/g);
  return new Map([...pairs].map(([, name = '', value = '']) => [name, value.trim()] as const));
}

/** Names of what a setting is about, each with what it looks like; the forks have different ones. */
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

/** Steps and seed, without which nothing is generated, and two more kinds of settings; null without them. */
function complete(settings: ReadonlyMap<string, string>): ReadonlyMap<string, string> | null {
  const is = (names: readonly string[], pattern: RegExp) =>
    names.some((name) => pattern.test(settings.get(name) ?? ''));
  const isGenerated = is(['Steps'], /^\d{1,5}$/) && is(['Seed'], /^-?\d{1,20}$/);
  const others = kinds.filter(([names, pattern]) => is(names, pattern)).length;
  return isGenerated && others >= 2 ? settings : null;
}

/** The program writes its name to `App`, or by how it counts its versions. */
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
