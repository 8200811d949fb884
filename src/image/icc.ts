/** Reads the name of an ICC colour profile. Profiles are never applied, because the traces are in the stored values. */

import { ascii, dataView } from './bytes.ts';

/** Tag `desc`; null without a readable one. @see ICC.1:2022, 7.2, 7.3 and 10.15 (`mluc`); ICC.1:2001-04, 6.5.17. */
export function nameIccProfile(profile: Uint8Array | undefined): string | null {
  if (profile === undefined || profile.length < 132 || ascii(profile, 36, 4) !== 'acsp')
    return null;
  const view = dataView(profile);
  const count = Math.min(view.getUint32(128), 100);
  for (let entry = 132; entry + 12 <= Math.min(profile.length, 132 + 12 * count); entry += 12) {
    if (ascii(profile, entry, 4) !== 'desc') continue;
    const start = view.getUint32(entry + 4);
    const tag = profile.subarray(start, start + view.getUint32(entry + 8));
    return readDescription(tag) || null;
  }
  return null;
}

const maxNameLength = 200;

function readDescription(tag: Uint8Array): string {
  const type = ascii(tag, 0, 4);
  if (type === 'desc' && tag.length > 12)
    return clean(new TextDecoder('latin1').decode(tag.subarray(12)));
  if (type !== 'mluc' || tag.length < 28) return '';
  const view = dataView(tag);
  const length = view.getUint32(20);
  const start = view.getUint32(24);
  return clean(new TextDecoder('utf-16be').decode(tag.subarray(start, start + length)));
}

/** The text up to the first NUL, without control characters. */
function clean(text: string): string {
  const [first = ''] = text.split('\0', 1);
  return first
    .replaceAll(/\p{Cc}/gu, '')
    .trim()
    .slice(0, maxNameLength);
}
