import type { Face } from './face.ts';

/** One document; its bytes are those of `JSON.stringify` with two spaces, whatever the number of pictures. */
export function createJsonFace(): Face {
  let count = 0;
  return {
    head: '{\n  "analyses": [',
    add: (record) => `${count++ === 0 ? '' : ','}\n    ${indented(record, 4)}`,
    end: ({ counts }) => `${count === 0 ? '' : '\n  '}],\n  "summary": ${indented(counts, 2)}\n}\n`,
  };
}

/** One line a picture. */
export function createJsonLinesFace(): Face {
  return { head: '', add: (record) => `${JSON.stringify(record)}\n`, end: () => '' };
}

function indented(value: unknown, spaces: number): string {
  // No line end can lie inside a string: JSON writes those as \n.
  return JSON.stringify(value, null, 2).replaceAll('\n', `\n${' '.repeat(spaces)}`);
}
