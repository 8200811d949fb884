/** All temporary files of a run lie in one folder, which goes away with it, whatever a test leaves behind. */

import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

let folder = '';

export function setup(): void {
  folder = mkdtempSync(join(tmpdir(), 'forensics-tests-'));
  // PostgreSQL runs as a separate user if the tests run as root.
  chmodSync(folder, 0o755);
  process.env['TMPDIR'] = folder;
}

export function teardown(): void {
  rmSync(folder, { recursive: true, force: true });
}
