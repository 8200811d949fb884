/** For `--mode postgres`: one server for all files; each test has a database of its own there. */

import { startPostgres } from './fixtures/postgres.ts';

let stop = async () => undefined as void;

export async function setup(): Promise<void> {
  const server = await startPostgres();
  stop = () => server.stop();
  process.env['FORENSICS_TEST_POSTGRES'] = server.url;
}

export async function teardown(): Promise<void> {
  await stop();
}
