/** The pictures of one claim or story, and the report on them. */
export const cases = {
  title: (name: string) => `Case ${name}`,
  order: 'Pictures that need attention come first.',
  pictures: (count: number) => (count === 1 ? '1 picture' : `${count} pictures`),
  kinds: {
    failed: 'failed',
    generated: 'with signs of generation',
    changed: 'with signs of a change',
    seen: 'seen outside this case',
    suspected: 'with a suspected change',
    undecided: 'undecided',
    unjudged: 'that cannot be judged',
    atWork: 'being examined',
    noSign: 'with no sign found',
  },
  oneCamera: 'from one camera',
  /** For a picture without its own page. */
  noResult: 'No result yet.',
  noPage: 'Examined only for a result (flagging tier), so it has no page here.',
  pages: 'One page per picture follows. The full report of each is in its evidence bundle.',
  picture: (at: string, of: string) => `Picture ${at} of ${of}`,
};
