import type { Language } from '../contract/vocabulary.ts';
import type { PictureFacts } from '../image/picture.ts';
import { createNumberWriter } from './numbers.ts';
import { wordsIn } from './wording/catalogue.ts';

/** Short notes on how the pixels were obtained and what is unusual about the file. */
export function writeNotes(
  { notes, soundShare }: Pick<PictureFacts, 'notes' | 'soundShare'>,
  language: Language,
): readonly string[] {
  const { labels } = wordsIn(language);
  // The note that all rows are there would contradict missing rows.
  const isCut = soundShare !== undefined;
  const told = notes.filter((note) => !isCut || note !== 'end_marker_missing');
  return told.map((note) =>
    note === 'rows_missing' && soundShare !== undefined
      ? labels.soundRows(createNumberWriter(language).fixed(100 * soundShare, 1))
      : labels.notes[note],
  );
}
