import { administration } from './en-administration.ts';

/** Numbers as written in this language. */
export interface WrittenLimits {
  readonly minSide: string;
  readonly maxSide: string;
  readonly megapixels: string;
  readonly megabytes: string;
  /** `JPEG, PNG` */
  readonly formats: string;
}

/** Every sentence that only the console uses; sentences shared with reports come from `present`. */
export const en = {
  nav: {
    label: 'Main',
    analyses: 'Analyses',
    verify: 'Verify a bundle',
    usage: 'Usage',
    keys: 'API keys',
    tenant: 'Tenant',
    users: 'Users',
    holds: 'Legal holds',
    audit: 'Audit log',
    account: 'Account',
    help: 'Help',
    menu: 'Menu',
    skip: 'Skip to content',
    logOut: 'Log out',
  },
  common: {
    save: 'Save',
    saved: 'Saved.',
    cancel: 'Cancel',
    close: 'Close',
    copy: 'Copy',
    copied: 'Copied.',
    retry: 'Try again',
    loading: 'Loading…',
    never: 'Never',
    unreachable: 'The server is not responding. Check the connection; this page keeps trying.',
    failed: 'That did not work.',
    /** By error code, with the server's English message for `{message}`; other errors keep the server's words. */
    errors: {} as Readonly<Record<string, string>>,
    noRight: 'You can view this page, but you need the “settings” permission to change it.',
    noAccess: 'You need the “settings” permission to see this page.',
    older: 'Older entries',
    newer: 'Newer entries',
    pageNotFound: 'Page not found.',
    newWindow: 'opens a new tab',
  },
  login: {
    title: 'Log in',
    email: 'Email address',
    password: 'Password',
    elsewhere: (issuer: string) => `Log in at ${issuer}.`,
    elsewhereAct: 'Continue',
    expired: 'Your session has ended. Log in again to continue where you left off.',
    loggedOut: 'You have been logged out.',
    noTenant:
      'Your account does not belong to a tenant yet. Ask your administrator to add you to one.',
    failedElsewhere: 'The identity provider refused the login. Try again.',
  },
  first: {
    title: 'Create the first account',
    needed: 'There is no account yet',
    how: 'Open the one-time link that “forensics serve” printed when it started. It creates the first account.',
    orCommand: 'Or create one on the server’s command line:',
    name: 'Your name',
    passwordHint: 'At least 12 characters. A few unrelated words work well.',
    act: 'Create account',
    intro:
      'This account belongs to all tenants and can change their settings. The link works once.',
  },
  upload: {
    title: 'Drop pictures here',
    hint: ({ megabytes, maxSide, formats }: WrittenLimits) =>
      `${formats}, up to ${megabytes} MB and ${maxSide} pixels a side. You can also paste pictures or drop folders.`,
    choose: 'Choose pictures',
    chooseFolder: 'Choose a folder',
    options: 'Options',
    tier: 'Tier',
    tiers: { flagging: 'Verdict only', forensicReporting: 'Full report' },
    tierHelp:
      'A full report includes heatmaps, findings and PDFs. A verdict can be upgraded to a full report later without another examination.',
    strategy: 'Decision strategy',
    strategies: {
      pedantic: 'Pedantic: decides least often',
      default: 'Default: balanced',
      relaxed: 'Relaxed: decides most often',
    },
    tags: 'Tags, separated by commas',
    progress: (done: number, of: number) => `${done} of ${of} sent`,
    refusedCount: (count: number) => (count === 1 ? '1 refused' : `${count} refused`),
    examined: (done: number, of: number) => `${done} of ${of} examined`,
    failedCount: (count: number) => `${count} failed`,
    cancelAll: 'Cancel the rest',
    clear: 'Clear the list',
    states: {
      waiting: 'Waiting',
      preparing: 'Reading',
      retrying: 'The server is not responding; trying again',
      starting: 'Starting',
      done: 'Sent',
      cancelled: 'Cancelled',
      refused: 'Refused',
    },
    refusals: {
      empty: () => 'The file is empty.',
      pdf: () =>
        'This is a PDF. “forensics analyze FILE.pdf --url ADDRESS” sends the pictures in it.',
      notPicture: ({ formats }: WrittenLimits) =>
        `This is not a picture in a format that this server accepts: ${formats}.`,
      tooSmall: ({ minSide }: WrittenLimits) =>
        `The picture is too small: each side must be at least ${minSide} pixels.`,
      tooLarge: ({ maxSide }: WrittenLimits) =>
        `The picture is too large: each side may be at most ${maxSide} pixels.`,
      tooManyPixels: ({ megapixels }: WrittenLimits) =>
        `The picture is too large: at most ${megapixels} megapixels are allowed.`,
      tooManyBytes: ({ megabytes }: WrittenLimits) =>
        `The file is too large: at most ${megabytes} MB are allowed.`,
    },
    askOperator:
      'Other formats and larger pictures are accepted if the operator sets intake to everything.',
    interrupted: 'The server did not respond. Drop the picture again.',
  },
  list: {
    search: 'Search',
    searchIn: 'Name, comment or person',
    verdict: 'Result',
    status: 'Status',
    tag: 'Tag',
    from: 'From',
    to: 'To',
    any: 'Any',
    reset: 'Clear filters',
    picture: 'Picture',
    name: 'Name',
    created: 'Created',
    actions: 'Actions',
    results: {
      real: 'No sign found',
      fake: 'Signs found',
      abstain: 'Cannot be judged',
      uncertain: 'Undecided',
    },
    statuses: {
      pending: 'Waiting',
      processing: 'Examining',
      completed: 'Completed',
      failed: 'Failed',
    },
    notStarted: 'Upload not finished',
    empty: 'No analyses yet',
    emptyHint: 'Drop a picture above, or paste one.',
    noMatch: 'Nothing matches these filters.',
    range: (from: string, to: string, of: string) => `${from}–${to} of ${of}`,
    selectAll: 'Select all on this page',
    select: (name: string) => `Select ${name}`,
    selected: (count: number) => `${count} selected`,
    csv: 'CSV',
    csvAll: 'Export all (CSV)',
    removeTitle: (count: number) =>
      count === 1 ? 'Delete this analysis?' : `Delete ${count} analyses?`,
    removeHint: 'What is deleted disappears from all lists and cases. This cannot be undone.',
    remove: 'Delete',
    retry: 'Examine again',
    upgrade: 'Upgrade to full report',
    cancelRun: 'Cancel and delete',
    removed: (count: number) =>
      count === 1 ? '1 analysis deleted.' : `${count} analyses deleted.`,
    of: (name: string) => `of ${name}`,
  },
  cases: {
    case: 'Case',
    title: (name: string) => `Case ${name}`,
    edit: 'Edit details',
    comment: 'Comment',
    examiner: 'Examiner',
    printed: 'Case, exhibit and examiner are printed on the reports.',
    empty: 'No pictures in this case yet. Drop some above.',
    report: 'Report on this case',
    comparing: (open: number): string =>
      `Pictures still to be compared with others: ${open}. The summary and the order may change until this is done.`,
  },
  analysis: {
    back: 'All analyses',
    reasons: 'Why nothing was decided',
    helps: 'What would help',
    next: 'What to do next',
    further: 'What else would help',
    why: 'What it is based on',
    certainty: 'How certain this is',
    more: 'More about this picture',
    tabs: {
      findings: 'Findings',
      origin: 'File and origin',
      others: (count: number) =>
        count === 0 ? 'Other pictures' : `Other pictures (seen: ${count})`,
      report: 'Report and files',
      record: 'History',
    },
    place: (number: number) => `Finding ${number} in the picture`,
    showPlace: (number: number) => `Show area ${number} in the picture`,
    pictures: 'Picture and heatmaps',
    map: 'Heatmap',
    noMap: 'No heatmap',
    opacity: 'Opacity',
    loupe: 'Loupe',
    zoomIn: 'Zoom in',
    zoomOut: 'Zoom out',
    fit: 'Fit',
    viewerHelp:
      'The arrow keys pan, plus and minus zoom, 0 fits the picture to the window, and L opens a loupe that follows the pointer and the arrow keys. Dragging and scrolling work too.',
    viewer: 'Picture with heatmap',
    findings: 'Findings, strongest first',
    noFindings: 'No method found evidence for either side.',
    neutral: (count: number) => (count === 1 ? '1 neutral finding' : `${count} neutral findings`),
    skipped: 'Methods that did not apply',
    sides: {
      fake: 'supports generation or change',
      real: 'supports a photograph',
      neither: 'neutral',
    },
    source: 'Source',
    measures: 'Measures',
    provenance: 'What the file says about itself',
    noProvenance: 'The file says nothing about its origin. That is common and proves nothing.',
    history: 'Editing history',
    inconsistencies: 'Contradictions',
    stability: 'Stability',
    holds: 'holds',
    flips: 'flips',
    probability: 'Probability of generation',
    notChecked: 'What was not checked',
    seenBefore: {
      title: 'Seen before',
      intro: (count: number): string =>
        `${
          count === 0
            ? 'No other picture shows the same thing.'
            : 'These show the same picture or a part of it, or their files have something in common. Compare before you decide.'
        } Pictures examined by versions before 0.4, or while the comparison was switched off, are not searched.`,
      before: 'Seen before:',
      after: 'Seen again:',
    },
    custody: 'Chain of custody',
    noCustody: 'Nothing has been recorded for this analysis.',
    hashes: 'Checksums',
    pdf: { en: 'PDF report, English', de: 'PDF report, German' },
    html: { en: 'HTML report, English', de: 'HTML report, German' },
    bundle: 'Signed evidence bundle',
    json: 'Everything as JSON',
    original: 'Original picture',
    heatmapFile: (name: string) => `Heatmap: ${name}`,
    flaggedOnly: 'This analysis has a result but no report.',
    flaggedHint:
      'Upgrade it to see heatmaps, findings and the report. It is billed as a full report; the picture is not examined again.',
    waiting: 'The picture is waiting to be examined.',
    running: 'The picture is being examined.',
    failed: 'The examination failed',
    notStarted:
      'The upload of this picture was never finished. Delete the analysis and drop the picture again.',
    strength: 'Strength of the evidence',
    changed: 'Changed parts',
  },
  comparison: {
    title: 'Comparison',
    compare: 'Compare',
    end: 'Back to the analysis',
    mode: 'Type of comparison',
    modes: { side: 'Side by side', difference: 'Difference', flicker: 'Flicker' },
    hints: {
      side: 'Both pan and zoom together. The loupe shows the same place in both.',
      difference: 'Black where both agree, bright where they differ.',
      flicker: 'Alternates between the two: whatever jumps is different.',
    },
    notAligned: 'They are not known to show the same thing, so one is centred on the other.',
    part: (number: number) => `Differing part ${number}`,
    notMarked:
      'The differing parts cannot be framed, because the browser could not read one of the pictures.',
  },
  review: {
    next: 'Next',
    previous: 'Previous',
    help: 'Keys',
    place: (at: number, of: number) => `${at} of ${of}`,
    keys: [
      'Next picture in the list or case',
      'Previous picture',
      'Edit comment and other details',
      'Open the picture in the row',
      'This help',
      'In the picture: pan, or move the loupe',
      'In the picture: zoom in, zoom out, fit',
      'In the picture: loupe',
    ],
    on: 'Use these keys',
  },
  verify: {
    intro:
      'Drop a signed evidence bundle to see what it contains and whether every byte is as it was signed. Nothing is stored.',
    drop: 'Drop a bundle here',
    choose: 'Choose a file',
    checking: 'Checking…',
    holds: 'The bundle is intact',
    holdsOwn: 'The bundle is intact, and this service signed it',
    broken: 'The bundle is not intact',
    unknownKey:
      'The signer is not known here. Compare the fingerprint with one you received through another channel.',
    problems: 'Problems',
    /** By kind of problem, with the file's name for `{file}`; other problems keep the server's words. */
    problemKinds: {} as Readonly<Record<string, string>>,
    signedAt: 'Signed',
    key: 'Fingerprint of the key',
    examinedAt: 'Examined',
    files: 'Files',
    product: 'Written by',
  },
  ...administration,
};

export type Words = typeof en;
