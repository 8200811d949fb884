import type { ResultClass } from '../../../contract/vocabulary.ts';

/** What `analyze` prints for people: the card, the table and the line below it. */
export const terminal = {
  card: {
    labels: {
      because: 'Because',
      wrong: 'Error rate',
      file: 'File says',
      next: 'Next',
      more: 'Report',
      unread: 'Remarks',
    },
    generated: (p: string) => `P(generated) ${p}`,
    changed: (p: string) => `P(changed) ${p}`,
    /** For a value between the two limits, where nothing is decided. */
    open: (from: string, to: string) => ` (open from ${from} to ${to})`,
    more: 'PDF and heatmaps: --tier forensicReporting --out DIR',
    onServer: (id: string) => `analysis ${id}`,
  },
  /** Another picture that shows the same thing, or whose file has something in common with this one. */
  seen: {
    label: 'Seen before',
    linked: 'Linked',
    inCase: (name: string) => `case ${name}`,
    mirrored: 'mirrored',
    reasons: {
      camera: 'same camera body',
      document: 'same document id',
      settings: 'same generator settings',
    },
    as: (shared: string) => `${shared} as`,
    more: (count: number) => `and ${count} more`,
  },
  table: {
    head: { file: 'PICTURE', result: 'RESULT', generated: 'P(GENERATED)', changed: 'P(CHANGED)' },
    reason: 'REASON',
    copies: {
      same: (file: string) => `same file as ${file}`,
      copy: (file: string) => `same picture as ${file}`,
      mirrored: (file: string) => `same picture as ${file}, mirrored`,
    },
    results: {
      real: 'no sign found',
      fake: 'looks generated',
      changed: 'looks changed',
      declared: 'declared as AI',
      uncertain: 'undecided',
      abstain: 'not judged',
      failed: 'failed',
      started: 'started',
    },
  },
  /** Name of a picture in a PDF, shown after the file name. */
  pdf: {
    part: (page: number, picture: number | null) =>
      picture === null ? `page ${page}` : `page ${page}, picture ${picture}`,
  },
  summary: {
    pictures: (count: number) => `${count} ${count === 1 ? 'picture' : 'pictures'}`,
    counts: {
      real: 'without signs',
      fake: 'with signs',
      abstain: 'not judged',
      uncertain: 'undecided',
      failed: 'failed',
    } satisfies Readonly<Record<ResultClass | 'failed', string>>,
    /** Kinds of files in a folder that are not pictures; any kind not listed here is `unknown`. */
    kinds: {
      text: (count: number) => `${count} text ${count === 1 ? 'file' : 'files'}`,
      html: (count: number) => `${count} web ${count === 1 ? 'page' : 'pages'}`,
      video: (count: number) => `${count} ${count === 1 ? 'video' : 'videos'}`,
      zip: (count: number) =>
        `${count} ${count === 1 ? 'archive or office document' : 'archives or office documents'}`,
      gzip: (count: number) => `${count} gzip ${count === 1 ? 'archive' : 'archives'}`,
      empty: (count: number) => `${count} empty ${count === 1 ? 'file' : 'files'}`,
      unknown: (count: number) => `${count} ${count === 1 ? 'file' : 'files'} of an unknown kind`,
    },
    notPictures: (kinds: string) => `Not pictures: ${kinds}.`,
    /** @param more - how many others are not named here. */
    leftOut: (names: string, more: number) =>
      `Left out: ${names}${more > 0 ? ` and ${more} more, all in --csv and --jsonl` : ''}.`,
    skipped: {
      hidden: 'hidden',
      own_results: 'results of this run',
      special_file: 'a device, pipe or socket',
      folder_seen_before: 'a folder that was already read',
      small_pictures: (count: number) =>
        `${count} ${count === 1 ? 'picture' : 'pictures'} with a side under 65 pixels`,
      repeated_pictures: (count: number) =>
        `${count} repeated ${count === 1 ? 'picture' : 'pictures'}`,
      later_pages: (count: number) => `${count} pages after the first 500`,
    },
    results: (dir: string) => `Results in ${dir}, a folder for each picture`,
    stopped: 'Stopped.',
    noneExamined: 'No picture was examined, and nothing was written.',
    rates: { second: 'a second', minute: 'a minute', hour: 'an hour' },
  },
  progress: {
    one: 'Examining',
    examined: (count: number) => `${count} examined`,
    failed: (count: number) => `${count} failed`,
    left: (time: string) => `about ${time} left`,
  },
};
