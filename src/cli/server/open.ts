/** The server that options, environment or a profile name, with what proves who asks. */

import type { Api } from '../../client/api.ts';
import { openApi } from '../../client/open.ts';
import { usageError } from '../failure.ts';
import { say } from '../local-core.ts';
import { readText } from '../read-text.ts';
import type { ServerOptions } from '../service-options.ts';

export async function openServer({ url, ca, apiKeyFile }: ServerOptions): Promise<Api> {
  const { FORENSICS_URL, FORENSICS_API_KEY } = process.env;
  const address = url ?? FORENSICS_URL;
  if (address === undefined) throw usageError('Name the server: --url https://host:port.');
  const key = apiKeyFile === undefined ? FORENSICS_API_KEY : await readText(apiKeyFile);
  const api = await openApi({
    url: address,
    ca: ca === undefined ? null : await readText(ca),
    apiKey: key?.trim() ?? null,
  });
  say(`Acting on the server ${api.url.origin}`);
  return api;
}
