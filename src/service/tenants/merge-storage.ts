/**
 * Applies a request to a storage configuration. Members that are omitted or masked keep their stored values as long as
 * the server or bucket they belong to is unchanged. A stored secret is never sent to a different server or used for a
 * different account.
 */

import { readFileSync, statSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { type Static, type TSchema, Type } from 'typebox';
import { Value } from 'typebox/value';
import { orNull, withoutUndefined } from '../../contract/common.ts';
import { explain } from '../../contract/explain.ts';
import { maxPresignedUrlExpirySeconds } from '../../contract/limits.ts';
import {
  azureConfig,
  type AzureStorageConfig,
  s3Config,
  type S3Response,
  type S3StorageConfig,
  storageConfig,
  type StorageResponse,
  type StorageRequest,
  strict,
} from '../../contract/tenant.ts';
import { ForensicsError, configInvalid, invalidRequest } from '../../contract/errors.ts';
import { parseConnectionString } from '../../ports/storage/azure/azure.ts';
import type { SharedStore } from '../../ports/storage/stores.ts';
import {
  storagePlace,
  type S3Address,
  type SharedConfig,
  type StorageConfig,
} from '../../ports/storage/configs.ts';

/** @throws {ForensicsError} `invalid_request`, saying which member is unknown, missing or invalid. */
function checked<T extends TSchema>(schema: T, config: unknown): Static<T> {
  if (Value.Check(schema, config)) return config;
  const whole = Type.Object({ storageConfig: schema });
  throw invalidRequest(explain(Value.Errors(whole, { storageConfig: config }), whole));
}

/** Checks an untrusted configuration in a request, where members may be missing. @throws as `mergeStorage`. */
export function checkRequest(request: unknown): StorageRequest {
  return checked(storageConfig, request);
}

function invalidStorage(member: string, what: string): ForensicsError {
  return invalidRequest(`storageConfig.${member} ${what}.`);
}

/** @param stored - null for the service's own store, or if it cannot be decrypted. @throws `invalid_request`. */
export function mergeStorage(stored: StorageConfig | null, request: StorageRequest): StorageConfig {
  const { s3 = null, azure = null } = request;
  if (s3 !== null && azure === null) {
    return { type: 's3', s3: mergeS3(stored?.type === 's3' ? stored.s3 : null, s3) };
  }
  if (azure !== null && s3 === null) {
    const before = stored?.type === 'azure' ? stored.azure : null;
    return { type: 'azure', azure: mergeAzure(before, azure) };
  }
  throw invalidRequest('storageConfig must contain either s3 or azure.');
}

function mergeS3(stored: S3StorageConfig | null, given: Partial<S3StorageConfig>): S3StorageConfig {
  const fresh = withoutMasks('s3', given, stored === null ? {} : maskS3(stored));
  const kept = stored === null ? {} : membersToKeep(stored, fresh);
  const useSSL = fresh.useSSL ?? kept.useSSL ?? true;
  const merged = { ...s3Defaults, port: useSSL ? 443 : 80, ...kept, ...fresh, useSSL };
  const { s3 } = checked(Type.Object({ s3: s3Config }), { s3: merged });
  if (s3.corsAllowedOrigins?.every(isOriginPattern) === false) {
    throw invalidStorage('s3.corsAllowedOrigins', 'must be origins such as https://app.example');
  }
  const config = { ...s3, endpoint: s3.endpoint.toLowerCase() };
  if (stored === null) return config;
  const isThere =
    storagePlace({ type: 's3', s3: stored }) === storagePlace({ type: 's3', s3: config });
  if (fresh.accessKeyId === undefined && !isThere) throw elsewhere('s3.accessKeyId');
  const isSameAccount = isThere && config.accessKeyId === stored.accessKeyId;
  if (fresh.secretAccessKey === undefined && !isSameAccount) throw elsewhere('s3.secretAccessKey');
  return config;
}

/** Whether it is an origin as CORS rules allow it: `*`, an origin, or an origin with one `*` in its host. */
function isOriginPattern(text: string): boolean {
  if (text === '*') return true;
  const example = text.replace('*', 'any');
  const url = URL.parse(example);
  return url !== null && url.origin === example && /^https?:$/.test(url.protocol);
}

/** One server's connection settings do not apply to another, nor one bucket's CORS rules to another bucket. */
function membersToKeep(
  stored: S3StorageConfig,
  { endpoint = stored.endpoint, bucketName = stored.bucketName }: Partial<S3StorageConfig>,
): Partial<S3StorageConfig> {
  const { port, useSSL, region, accessKeyId, secretAccessKey } = stored;
  const named = { endpoint: stored.endpoint, bucketName: stored.bucketName };
  const place = { ...named, accessKeyId, secretAccessKey };
  if (endpoint.toLowerCase() !== stored.endpoint) return place;
  return bucketName === stored.bucketName ? stored : { ...place, port, useSSL, region };
}

function mergeAzure(stored: AzureStorageConfig | null, given: Partial<AzureStorageConfig>) {
  const fresh = withoutMasks('azure', given, stored === null ? {} : maskAzure(stored));
  const merged = { azure: { ...stored, ...fresh } };
  const { azure: config } = checked(Type.Object({ azure: azureConfig }), merged);
  const isThere = stored === null || stored.containerName === config.containerName;
  if (fresh.connectionString === undefined && !isThere) throw elsewhere('azure.connectionString');
  return config;
}

const s3Defaults = {
  region: 'us-east-1',
  presignedUrlExpirySeconds: maxPresignedUrlExpirySeconds,
  corsAllowedOrigins: null,
} as const;

/** @param shown - the masked configuration as clients see it; any other mask stands for a secret we do not have. */
function withoutMasks<T extends object>(type: string, given: T, shown: object): T {
  const answered = new Map(Object.entries(shown));
  const kept = Object.entries(given).filter(([member, value]) => {
    // A mask is never stored as the secret itself.
    const isMasked =
      typeof value === 'string' &&
      (value.startsWith(stars) || value.includes(`AccountKey=${stars}`));
    if (!isMasked) return true;
    if (answered.get(member) === value) return false;
    throw invalidStorage(
      `${type}.${member}`,
      'must be the secret itself, because this masked value differs from the one returned earlier',
    );
  });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- members were left out, but not changed.
  return Object.fromEntries(kept) as T;
}

function elsewhere(member: string): ForensicsError {
  return invalidStorage(
    member,
    'must be sent again, because a stored secret is never sent to a different server or used for a different account',
  );
}

const stars = '***';

/** The contract's `storageConfig` as returned to clients, without secrets. */
export function maskStorage(config: StorageConfig): StorageResponse {
  return config.type === 's3' ? { s3: maskS3(config.s3) } : { azure: maskAzure(config.azure) };
}

function maskS3({ corsAllowedOrigins, ...config }: S3StorageConfig): S3Response {
  const { accessKeyId } = config;
  return {
    ...config,
    // The visible last characters let people recognise the key.
    accessKeyId: accessKeyId.length < 12 ? stars : `${stars}${accessKeyId.slice(-4)}`,
    secretAccessKey: stars,
    ...(corsAllowedOrigins === null ? {} : { corsAllowedOrigins }),
  };
}

/** Built from the public parts of the connection string, so that nothing else can leak. */
function maskAzure({ containerName, connectionString }: AzureStorageConfig) {
  const { accountName, blobEndpoint } = parseConnectionString(connectionString);
  const masked = `AccountName=${accountName};AccountKey=${stars};BlobEndpoint=${blobEndpoint}`;
  return { containerName, connectionString: masked } satisfies AzureStorageConfig;
}

/**
 * Reads the file that configures the whole service's store: the contract's StorageConfig under the
 * same rules as a tenant's, plus, for S3, a second address at which the service itself reaches the
 * server. The file contains credentials, so no message quotes it.
 *
 * @returns the store with an empty prefix.
 * @throws {ForensicsError} `config_invalid`, saying which member is invalid and what it must be.
 */
export function readDefaultStorage(file: string): SharedConfig {
  try {
    return toSharedConfig(JSON.parse(readFileSync(file, 'utf8')));
  } catch (error) {
    if (error instanceof ForensicsError) throw invalid(`cannot be used: ${error.message}`, error);
    // The parser's message quotes the text, including secrets.
    if (error instanceof SyntaxError) throw invalid('is not valid JSON.');
    if (!(error instanceof Error && 'code' in error)) throw error;
    throw invalid('cannot be read. Check its path and its permissions.', error);
  }
}

const {
  endpoint: internalEndpoint,
  port: internalPort,
  useSSL: internalUseSSL,
} = s3Config.properties;
const internal = { internalEndpoint, internalPort, internalUseSSL };
const defaultStorage = Type.Object(
  {
    ...storageConfig.properties,
    s3: Type.Optional(
      orNull(Type.Partial(Type.Object({ ...s3Config.properties, ...internal }), strict)),
    ),
  },
  strict,
);

function toSharedConfig(value: unknown): SharedConfig {
  const { s3 = null, azure = null } = checked(defaultStorage, value);
  const { internalEndpoint: host, internalPort: port, internalUseSSL: useSSL, ...own } = s3 ?? {};
  const config = mergeStorage(null, { s3: s3 && own, azure });
  const reached = withoutUndefined({ endpoint: host?.toLowerCase(), port, useSSL });
  const address = config.type === 's3' ? internalAddress(config.s3, reached) : null;
  const whole = { ...config, shared: { keyPrefix: '', internal: address } };
  // Also checks the connection string, which the schema leaves to its parser.
  storagePlace(whole);
  return whole;
}

/** Omitted members take the same values as for clients. Returns null if nothing differs. */
function internalAddress(
  { endpoint, port, useSSL }: S3StorageConfig,
  given: Partial<S3Address>,
): S3Address | null {
  const ofClients = { endpoint, port, useSSL };
  const address = { ...ofClients, ...given };
  return isDeepStrictEqual(address, ofClients) ? null : address;
}

/**
 * Call before the first request. A store that rejects the service aborts the start, because only
 * people can fix that. A store that is down or full is only reported to `onError`: after a power
 * cut it may start later than the service, and the database can be read without it.
 *
 * @throws {ForensicsError} `config_invalid`.
 */
export async function proveDefaultStorage(
  file: string,
  { shared, onError }: { shared: Pick<SharedStore, 'prove'>; onError: (error: unknown) => void },
) {
  if (process.platform !== 'win32' && (statSync(file).mode & 0o077) !== 0) {
    onError(invalid('can be read by other users of this machine. Run chmod 600 on it.'));
  }
  try {
    await shared.prove();
  } catch (error) {
    if (!(error instanceof ForensicsError)) throw error;
    if (error.code === 'store_refused')
      throw invalid(`specifies a store that rejects the service. ${error.message}`, error);
    onError(error);
  }
}

function invalid(what: string, cause?: unknown): ForensicsError {
  return configInvalid(`The defaultStorage file ${what}`, { cause });
}
