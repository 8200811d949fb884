/**
 * Makes foreign text (file names, camera models, versions) safe for a document that must be unambiguous: characters
 * that are invisible, reorder their neighbours or are missing from the embedded font are written out as ⟨U+202E⟩.
 */

/**
 * Blocks that DejaVu Sans draws in full. Right-to-left scripts are left out on purpose: beside
 * Latin text, the page would not show the order of their characters.
 */
const drawn =
  /^[\u{20}-\u{7e}\u{a1}-\u{ac}\u{ae}-\u{24f}\u{1e00}-\u{1efb}\u{2010}-\u{2015}\u{2018}-\u{2022}\u{2026}\u{2030}\u{20ac}\u{2122}\u{2190}-\u{2193}\u{2212}]$/u;
const drawnLetter = /^[\u{370}-\u{525}]$/u;
const accent = /^[\u{300}-\u{34f}]$/u;

/** No sentence of our own is as long, so only text from the file is ever shortened. */
const defaultLimit = 1200;

/**
 * `text` on one line, composed (NFC) where possible, so that a name from macOS reads like any other.
 *
 * @param limit - maximum number of characters; the middle of a longer text becomes `⟨… 1234 …⟩`, the number left out.
 */
export function printable(text: string, limit = defaultLimit): string {
  const characters = shorten(Array.from(text.normalize('NFC')), limit);
  let isAfterAccent = false;
  return characters
    .map((character) => {
      if (character.length > 2) return character;
      const isAccent = accent.test(character);
      // Stacked accents on one letter could cover the lines above and below.
      const isFine = isAccent
        ? !isAfterAccent
        : drawn.test(character) || (drawnLetter.test(character) && /\p{L}/u.test(character));
      isAfterAccent = isAccent;
      const code = character.codePointAt(0)!.toString(16).toUpperCase();
      return isFine ? character : `⟨U+${code.padStart(4, '0')}⟩`;
    })
    .join('');
}

function shorten(characters: readonly string[], limit: number): readonly string[] {
  if (characters.length <= limit) return characters;
  const tail = Math.floor(limit / 4);
  const head = limit - tail;
  const leftOut = `⟨… ${characters.length - limit} …⟩`;
  return [...characters.slice(0, head), leftOut, ...characters.slice(-tail)];
}

/** The texts without empty ones and without those whose condition is false. */
export function kept(texts: readonly (string | false | null | undefined)[]): readonly string[] {
  return texts.flatMap((text) => text || []);
}

/** Our own name for `key`; `otherwise` if there is none. */
export function nameIn(names: Readonly<Record<string, string>>, key: string, otherwise: string) {
  return Object.hasOwn(names, key) ? names[key]! : otherwise;
}

/** Capitalises words written for the middle of a sentence, so that they can begin one; in German also after a colon. */
export function capitalised(words: string): string {
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}
