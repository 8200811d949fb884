/** Several pictures of one claim or story, and their report. */
export const cases = {
  title: (name: string) => `Case ${name}`,
  order: 'What needs a look comes first.',
  pictures: (count: number) => (count === 1 ? '1 picture' : `${count} pictures`),
  kinds: {
    failed: 'failed',
    generated: 'generated',
    changed: 'with a changed part',
    seen: 'seen outside this case',
    undecided: 'undecided',
    unjudged: 'that cannot be judged',
    atWork: 'being examined',
    noSign: 'with no sign found',
  },
  oneCamera: 'from one camera',
  /** Of a picture without a page of its own. */
  noResult: 'No result yet.',
  noPage: 'Examined for a result alone (tier flagging), so it has no page here.',
  pages: 'A page for each picture follows. Its whole report is in its evidence bundle.',
  picture: (at: string, of: string) => `Picture ${at} of ${of}`,
};
