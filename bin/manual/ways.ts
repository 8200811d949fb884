/**
 * What the tests do with each block of the manual. They fail for a block that is not listed here.
 */

export type Way =
  /** Its commands run on the stage, and must print what the block shows. */
  | 'output'
  /** The same, including every hash and time. */
  | 'exact'
  /** Like 'output'; its first command is the server that keeps running for all later blocks. */
  | 'server'
  /** It runs on the stage and must exit with 0. */
  | 'script'
  /** It is type-checked, then runs on the stage. */
  | 'library'
  /** Packed and installed with npm as described: `test/cli/install.long.test.ts`. */
  | 'install'
  /** Its script runs against a server: `test/cli/ci-rotation.test.ts`. */
  | 'pipeline'
  /** It cannot be run here; a parser for its language checks it: `files.test.ts`. */
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
