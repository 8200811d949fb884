/** For `--mode postgres`: one server for all files, on which each test has its own database. */

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
