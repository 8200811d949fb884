/**
 * Text from outside (file names, messages about them) made safe for a terminal: control and direction-changing
 * characters are shown as escapes. A file name could otherwise move the cursor, recolour a verdict or show itself
 * backwards.
 */
export function printable(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, (character) => {
    const code = character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0');
    return `⟨U+${code}⟩`;
  });
}
