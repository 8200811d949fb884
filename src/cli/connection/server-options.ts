/**
 * Where a command acts: on the data folder of this machine or, with `--url` or `--profile`, on a server through `/v1`.
 * Apart from `server.ts`, whose HTTP client a command on this machine never loads.
 */

import type { Command } from 'commander';
import { usageError } from '../errors.ts';
import { named, assertNoOptions, withLocalOptions } from '../options.ts';
import type { LocalOptions } from './local.ts';

export interface ServerOptions {
  readonly url?: string;
  readonly profile?: string;
  readonly ca?: string;
  readonly fingerprint?: string;
  readonly apiKeyFile?: string;
}

export interface ServiceOptions extends LocalOptions, ServerOptions {
  readonly json: boolean;
}

/** The options of a command that acts on either. */
export function withServiceOptions(command: Command): Command {
  return withServerOptions(withLocalOptions(command));
}

/** The options of a command that acts on a server. */
export function withServerOptions(command: Command): Command {
  return command
    .option('--url <url>', 'act on this server: https://host:port', named)
    .option('--profile <name>', 'act on the server of this profile', named)
    .option('--ca <file>', 'PEM file of the authority that the server must have', named)
    .option('--fingerprint <sha256>', 'SHA-256 of a certificate that the server must show', named)
    .option('--api-key-file <file>', 'file that holds the API key (or FORENSICS_API_KEY)', named);
}

/**
 * Whether a server is meant. A flag beats the environment, also the flag that names a folder.
 *
 * @throws {ForensicsError} `usage` for flags of both, and for flags that need a server when there is none.
 */
export function isRemote(options: ServerOptions & LocalOptions): boolean {
  const { url, profile, dataDir } = options;
  if (url !== undefined || profile !== undefined) {
    if (dataDir === undefined) return true;
    throw usageError('--data-dir is for this machine; leave it out with a server.');
  }
  const { FORENSICS_URL = '', FORENSICS_PROFILE = '' } = process.env;
  const isOfEnvironment = FORENSICS_URL !== '' || FORENSICS_PROFILE !== '';
  if (isOfEnvironment && dataDir === undefined) return true;
  const { ca, fingerprint, apiKeyFile } = options;
  assertNoOptions(
    {
      '--ca': ca !== undefined,
      '--fingerprint': fingerprint !== undefined,
      '--api-key-file': apiKeyFile !== undefined,
    },
    'is for a server; add --url or --profile.',
  );
  return false;
}
