import { ForensicsError } from '../../errors.ts';

export interface AzureAccount {
  readonly accountName: string;
  readonly accountKey: string;
  /** Of the blob service, without a slash at the end. */
  readonly blobEndpoint: string;
}

/**
 * Reads what the Azure portal shows under "Access keys".
 *
 * @throws {ForensicsError} `invalid_request` that says what is missing and holds nothing of the text.
 */
export function parseConnectionString(text: string): AzureAccount {
  const fields = new Map(text.split(';').map(splitField));
  const accountName = fields.get('accountname') ?? '';
  const accountKey = fields.get('accountkey') ?? '';
  if (accountKey === '' && fields.has('sharedaccesssignature')) {
    throw invalid('has a SharedAccessSignature; URLs can be signed with an AccountKey only');
  }
  if (!/^[a-z0-9]{3,24}$/.test(accountName)) throw invalid('has no valid AccountName');
  if (!isBase64(accountKey)) throw invalid('has no valid AccountKey');
  return { accountName, accountKey, blobEndpoint: endpointOf(accountName, fields) };
}

function splitField(field: string): readonly [name: string, value: string] {
  // Keys end in `=`: only the first one parts name and value.
  const at = field.indexOf('=');
  return [field.slice(0, Math.max(at, 0)).trim().toLowerCase(), field.slice(at + 1).trim()];
}

function endpointOf(accountName: string, fields: ReadonlyMap<string, string>): string {
  const given = fields.get('blobendpoint');
  const scheme = fields.get('defaultendpointsprotocol') ?? 'https';
  const suffix = fields.get('endpointsuffix') ?? 'core.windows.net';
  const endpoint = given ?? `${scheme}://${accountName}.blob.${suffix}`;
  const url = URL.parse(endpoint);
  const isWeb = url !== null && /^https?:$/.test(url.protocol) && url.username === '';
  if (isWeb && url.search === '' && url.hash === '') {
    return `${url.origin}${url.pathname}`.replace(/\/+$/, '');
  }
  throw invalid('has no valid BlobEndpoint, DefaultEndpointsProtocol or EndpointSuffix');
}

function isBase64(text: string): boolean {
  return text !== '' && Buffer.from(text, 'base64').toString('base64') === text;
}

function invalid(what: string): ForensicsError {
  return new ForensicsError('invalid_request', `The Azure connection string ${what}.`);
}
