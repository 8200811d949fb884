/** What the tests do with each block of the manual. A block that is not named here fails them. */

export const ways = [
  /** Its commands run on the stage, and what they print is what the block says. */
  'output',
  /** The same; its first command is the server that goes on for all blocks after it. */
  'server',
  /** It runs on the stage and ends with 0. */
  'script',
  /** Types are checked, then it runs on the stage. */
  'library',
  /** npm packs and installs as it says: `test/cli/install.test.ts`. */
  'install',
  /** Nothing here could run it; the reader of that language checks it: `files.test.ts`. */
  'file',
] as const;

export type Way = (typeof ways)[number];

export const wayOf: Readonly<Record<string, Way>> = {
  start: 'script',
  check: 'file',
  install: 'install',
  tour: 'output',
  verify: 'output',
  validate: 'script',
  scripts: 'script',
  'first-run': 'server',
  life: 'script',
  keys: 'script',
  storage: 'file',
  audit: 'output',
  config: 'file',
  systemd: 'file',
  'proxy-nginx': 'file',
  'proxy-caddy': 'file',
  container: 'file',
  'air-gapped': 'install',
  library: 'library',
};
