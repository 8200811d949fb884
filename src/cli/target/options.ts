/**
 * Where a command acts: on the data folder of this machine or, with `--url` or `--profile`, on a server through `/v1`.
 * Which one is told on standard error.
 */

import type { Command } from 'commander';
import type { Api } from '../../client/api.ts';
import { usageError } from '../errors.ts';
import { named, refuseOptions, withLocalOptions } from '../options.ts';
import type { LocalOptions } from './data-folder.ts';

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
 * @throws {ForensicsError} `usage` for flags of both, and for what only a server is told when none is meant.
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
  refuseOptions(
    {
      '--ca': ca !== undefined,
      '--fingerprint': fingerprint !== undefined,
      '--api-key-file': apiKeyFile !== undefined,
    },
    'is for a server; add --url or --profile.',
  );
  return false;
}

/** A tenant is needed, and has to be named but where the profile of the server names one. */
export async function nameTenant(command: Command): Promise<void> {
  const options = command.optsWithGlobals<ServiceOptions & { readonly tenant?: string }>();
  if (options.tenant !== undefined) return;
  if (!isRemote(options)) command.error(`error: required option '--tenant <name>' not specified`);
  const { tenantMeant } = await import('./endpoint.ts');
  command.setOptionValue('tenant', tenantMeant(options));
}

/** Opens the way to the server for one act and closes it again, also when the act fails. */
export async function withApi<T>(
  options: ServerOptions,
  act: (api: Api) => Promise<T>,
): Promise<T> {
  const { openServer } = await import('./connect.ts');
  const api = await openServer(options);
  try {
    return await act(api);
  } finally {
    await api.close();
  }
}
