/** `forensics health`: checks whether the server on this machine is working, for containers and supervisors. */

import { request as requestPlain } from 'node:http';
import { request, type RequestOptions } from 'node:https';
import { text } from 'node:stream/consumers';
import { jsonOrNull } from '../../contract/common.ts';
import { readConfig } from '../../contract/config.ts';
import type { Settings } from '../../contract/settings.ts';
import { exitCodes } from '../../contract/errors.ts';
import { systemCodeOf } from '../../ports/files/files.ts';
import type { Command, LocalOptions } from '../options.ts';
import { print, printable, printJson } from '../output/terminal.ts';

export function defineHealth(health: Command): void {
  health
    .localOptions()
    .helpAfter(`
It calls the host and port in the settings, over plain HTTP if behind a proxy, and waits for at most 10 seconds.`)
    .examples('', '--json')
    .helpAfter(`
Exit codes: 0 the server works, 1 it does not, or no server is listening.`)
    .action(runHealth);
}

async function runHealth({ json, dataDir, config }: LocalOptions): Promise<void> {
  const { settings } = readConfig({ flags: { dataDir }, configFile: config });
  const { isWell, said } = await askHere(settings);
  if (!isWell) process.exitCode = exitCodes.failure;
  if (json) return printJson({ ok: isWell, said });
  if (isWell) return print('The server is working.');
  // Only a response of our own server is JSON.
  const { message } = Object(jsonOrNull(said));
  const why = typeof message === 'string' ? `${message} "forensics doctor" says why.` : said;
  print(`The server is not working: ${printable(why)}`);
}

const timeoutMs = 10_000;

/** The server's identity is not verified: the address is on this machine, and nothing secret is sent. */
async function askHere({ host, port, behindProxy }: Settings) {
  const options: RequestOptions = {
    // By number, as a container may be unable to resolve "localhost".
    host: { '0.0.0.0': '127.0.0.1', '::': '::1' }[host] ?? host,
    port,
    path: '/v1/health',
    headers: { 'x-forwarded-proto': 'https' },
    rejectUnauthorized: false,
    signal: AbortSignal.timeout(timeoutMs),
  };
  return new Promise<{ readonly isWell: boolean; readonly said: string }>((resolve) => {
    const fail = (error: Error) => {
      const refused = `No server is listening at ${options.host}:${port}; start it with "forensics serve", or set the host and port that it was given (see: forensics config).`;
      const said = systemCodeOf(error) === 'ECONNREFUSED' ? refused : error.message;
      resolve({ isWell: false, said });
    };
    (behindProxy ? requestPlain : request)(options, (answer) => {
      const isWell = answer.statusCode === 200;
      text(answer).then((said) => resolve({ isWell, said }), fail);
    })
      .on('error', fail)
      .end();
  });
}
