/** Whether two outputs are equal, apart from what changes from run to run, or slightly between processors. */

/** Differs on every run; the manual may shorten it to three dots. */

const varying: readonly (readonly [RegExp, string])[] = [
  [/\b\d{4}-\d\d-\d\dT[\d:.]+Z\b/g, 'TIME'],
  [/\b\d{4}-\d\d-\d\d\b/g, 'DAY'],
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, 'UUID'],
  [/\b[0-9a-f]{64}\b|\b[0-9a-f]{8}\.\.\./g, 'HASH'],
  [/\b[0-9a-f]{24}\b/g, 'ID'],
  [/\bsk-[0-9a-z]+-(?:\w{38}|\*{8}\w{4}|\.\.\.)/g, 'KEY'],
  [/\b(?:[0-9A-F]{2}:){4,}(?:[0-9A-F]{2}\b|\.\.\.)/g, 'FINGERPRINT'],
  [/#\/first\/(?:[\w-]{43}|\.\.\.)/g, 'LINK'],
  [/\b127\.0\.0\.1:\d+/g, 'ADDRESS'],
  [/\b\d+(?:\.\d+)? (?:ms|s|min|MB|GB|TB|a second)\b/g, 'AMOUNT'],
];

/** How much a value of the model, from 0 to 1 or in per cent, may differ. */
const leeway = { share: 0.05, percent: 5 };

export function saySame(one: string, other: string): boolean {
  return isNearly(normal(one), normal(other));
}

/** Whether the only differences are in the rounding of another processor. */
export function isNearly(one: string, other: string): boolean {
  const [first = [], second = []] = [one, other].map((text) => text.split(/(?<=\n)| +/));
  return (
    first.length === second.length &&
    first.every((word, i) => isNear(word, second[i]!, first[i + 1]))
  );
}

/** Secrets and fingerprints as the manual shows them: recognisable but useless. */
export function shortened(text: string): string {
  return text
    .replaceAll(/\b(sk-[0-9a-z]+-)\w{38}\b/g, '$1...')
    .replaceAll(/(#\/first\/)[\w-]{43}/g, '$1...')
    .replaceAll(/\b((?:[0-9A-F]{2}:){4})(?:[0-9A-F]{2}:){27}[0-9A-F]{2}\b/g, '$1...');
}

function normal(text: string): string {
  return varying.reduce((rest, [pattern, word]) => rest.replaceAll(pattern, word), text);
}

function isNear(word: string, other: string, next = ''): boolean {
  if (word === other) return true;
  const isPercent = /^\d{1,3}%/.test(word) || next.startsWith('%');
  const number = isPercent ? /^\d{1,3}(?:%[,;)]?\n?)?$/ : /^[(]?[01]\.\d\d[,;)]?\n?$/;
  if (!number.test(word) || !number.test(other)) return false;
  const apart = Math.abs(Number.parseFloat(digits(word)) - Number.parseFloat(digits(other)));
  return apart <= (isPercent ? leeway.percent : leeway.share) + 1e-9;
}

const digits = (word: string) => word.replaceAll(/[^\d.]/g, '');
