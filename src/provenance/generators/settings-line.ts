/**
 * The settings line of Stable Diffusion web UI (AUTOMATIC1111) and of all programs that write like it: behind the prompt
 * a line `Steps: 20, Sampler: Euler a, CFG scale: 7, Seed: 1, Size: 512x512, ...`, as PNG text `parameters` or as the
 * user comment of EXIF.
 */

import type { ForeignText, ForeignTexts } from '../foreign-texts.ts';
import type { Recognised } from './recognise.ts';

const maxLineLength = 20_000;

export function recogniseSettingsLine(texts: ForeignTexts): readonly Recognised[] {
  return texts
    .of('parameters', 'UserComment', 'ImageDescription', 'description')
    .flatMap((text) => recogniseIn(text) ?? []);
}

function recogniseIn(text: ForeignText): Recognised | null {
  const line = text.text.split('\n').findLast((one) => one.trimStart().startsWith('Steps: '));
  if (line === undefined) return null;
  const settings = settingsIn(line.slice(0, maxLineLength));
  if (!isComplete(settings)) return null;
  const isInpainted = settings.has('Mask blur') || settings.has('Inpaint area');
  return {
    text,
    origin: isInpainted ? 'ai-manipulated' : 'ai-generated',
    generator: programOf(settings),
  };
}

/** `Name: value, Name: value`; a value in quotation marks may hold commas. */
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

/** The program tells its name in `App`, or by how it counts its versions. */
function programOf(settings: ReadonlyMap<string, string>): string {
  const version = settings.get('Version') ?? '';
  if (settings.has('Civitai resources')) return 'Civitai';
  if (settings.get('App')?.startsWith('SD.Next')) return 'SD.Next';
  if (version.startsWith('Fooocus')) return 'Fooocus';
  if (version === 'ComfyUI') return 'ComfyUI';
  if (/^f\d/.test(version)) return 'Stable Diffusion web UI Forge';
  if (/^v1\.\d/.test(version)) return 'Stable Diffusion web UI (AUTOMATIC1111)';
  return 'Stable Diffusion web UI (AUTOMATIC1111, Forge, ...)';
}
