/** What the tests do with each block of the manual. A block that is not named here fails them. */

export type Way =
  /** Its commands run on the stage, and what they print is what the block says. */
  | 'output'
  /** The same, to the last hash and time. */
  | 'exact'
  /** As 'output'; its first command is the server that goes on for all blocks after it. */
  | 'server'
  /** It runs on the stage and ends with 0. */
  | 'script'
  /** Types are checked, then it runs on the stage. */
  | 'library'
  /** npm packs and installs as it says: `test/cli/install.long.test.ts`. */
  | 'install'
  /** Its script runs against a server: `test/cli/ci-rotation.test.ts`. */
  | 'pipeline'
  /** Nothing here could run it; the reader of that language checks it: `files.test.ts`. */
  | 'file';

export const wayOf: Readonly<Record<string, Way>> = {
  start: 'script',
  check: 'file',
  install: 'install',
  tour: 'exact',
  verify: 'output',
  validate: 'script',
  batch: 'output',
  scripts: 'script',
  'first-run': 'server',
  'first-request': 'output',
  life: 'script',
  keys: 'output',
  usage: 'output',
  storage: 'file',
  remote: 'output',
  fetch: 'script',
  'rotate-github': 'pipeline',
  'rotate-gitlab': 'pipeline',
  doctor: 'script',
  backup: 'output',
  restore: 'script',
  'backup-service': 'file',
  'backup-timer': 'file',
  audit: 'output',
  config: 'file',
  systemd: 'file',
  'proxy-nginx': 'file',
  'proxy-caddy': 'file',
  container: 'file',
  'compose-one': 'file',
  'air-gapped': 'install',
  migrate: 'file',
  compose: 'file',
  kubernetes: 'file',
  library: 'library',
};
