/** What the program recorded of the file's way through it. */

import { type Block, type GridRow, note, only, paragraph, type SectionInput } from '../blocks.ts';
import type { CustodyEvent } from '../item.ts';
import type { Prose } from '../prose.ts';
import { printable } from '../printable.ts';

export function custodyBlocks({ item, prose: { custody } }: SectionInput): readonly Block[] {
  const events = item.custody ?? [];
  if (events.length === 0) return [paragraph(custody.none)];
  const [time, event, actor] = custody.columns;
  return [
    paragraph(custody.intro),
    {
      kind: 'grid',
      columns: [
        { title: time, share: 0.26 },
        { title: event, share: 0.37 },
        { title: actor, share: 0.37 },
      ],
      rows: events.map((one) => toRow(one, custody)),
    },
    ...only(events.some(tellsReports), note(custody.redrawn)),
  ];
}

function tellsReports({ hashes }: CustodyEvent): boolean {
  return hashes.some(({ name }) => name.endsWith('.pdf'));
}

function toRow({ at, event, actor, hashes }: CustodyEvent, words: Prose['custody']): GridRow {
  return {
    cells: [at.toISOString(), words.events[event], writeActor(actor, words)],
    below: hashes.map(
      ({ name, sha256 }) => `${words.hashes[name] ?? printable(name, 40)}: ${printable(sha256)}`,
    ),
  };
}

/** `user 6f1c...`: the kind in the reader's language, the identifier as it is. */
function writeActor(actor: string, { actors }: Prose['custody']): string {
  const kind = Object.keys(actors).find((one) => actor === one || actor.startsWith(`${one} `));
  return kind === undefined
    ? printable(actor, 80)
    : printable(`${actors[kind]}${actor.slice(kind.length)}`, 80);
}
