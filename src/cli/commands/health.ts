/** `forensics health`: checks whether the server on this machine is working, for containers and supervisors. */

import { Agent, request } from 'undici';
import { jsonOrNull } from '../../contract/common.ts';
import { readConfig } from '../../contract/config.ts';
import type { Settings } from '../../contract/settings.ts';
import { exitCodes } from '../../contract/errors.ts';
import { systemCodeOf } from '../../ports/files/files.ts';
import type { Command } from '../options.ts';
import { print, printable, printJson } from '../output/terminal.ts';
import { type SettingFlags, withSettingFlags } from './serve.ts';

export function defineHealth(health: Command): void {
  withSettingFlags(health, 'health')
    .option('--json', 'print JSON', false)
    .helpAfter(`
It calls the host and port in the options or settings, over plain HTTP if behind a proxy, and waits for at most 10 seconds.`)
    .examples('', '--port 9443 --json')
    .helpAfter(`
Exit codes: 0 the server works, 1 it does not, or no server is listening.`)
    .action(runHealth);
}

type HealthOptions = SettingFlags<'health'> & { readonly json: boolean };

async function runHealth({ json, config, ...flags }: HealthOptions): Promise<void> {
  const { settings } = readConfig({ flags, configFile: config });
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
  // By number, as a container may be unable to resolve "localhost".
  const place = { '0.0.0.0': '127.0.0.1', '::': '::1' }[host] ?? host;
  const address = `${place.includes(':') ? `[${place}]` : place}:${port}`;
  try {
    const answer = await request(`${behindProxy ? 'http' : 'https'}://${address}/v1/health`, {
      dispatcher: new Agent({ connect: { rejectUnauthorized: false } }),
      headers: { 'x-forwarded-proto': 'https' },
      signal: AbortSignal.timeout(timeoutMs),
    });
    return { isWell: answer.statusCode === 200, said: await answer.body.text() };
  } catch (error) {
    const refused = `No server is listening at ${place}:${port}; start it with "forensics serve", or give the --host and --port of its start.`;
    const said = systemCodeOf(error) === 'ECONNREFUSED' ? refused : String(Object(error).message);
    return { isWell: false, said };
  }
}
