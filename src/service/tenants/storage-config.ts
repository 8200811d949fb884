/** Validates a storage configuration before any request to the store. */

import { isIP } from 'node:net';
import { maxPresignedUrlExpirySeconds } from '../../contract/limits.ts';
import type { AzureStorageConfig, S3StorageConfig, StorageRequest } from '../../contract/tenant.ts';
import { ForensicsError, invalidRequest } from '../../errors.ts';

const maxOrigins = 100;

interface Rule {
  /** Completes the sentence "it must be ...". */
  readonly allowed: string;
  /** Applied to unchecked input. */
  readonly test: (value: unknown) => boolean;
}

type Rules<T> = { readonly [Member in keyof T]: Rule };
type Members = Readonly<Record<string, unknown>>;
type Draft<T> = Readonly<Partial<Record<keyof T, unknown>>>;

export const s3Rules: Rules<S3StorageConfig> = {
  endpoint: {
    allowed: 'a host name or address without scheme, port or path, such as minio.example',
    test: isText((host) => isHostName(host) || isIP(host) !== 0),
  },
  port: { allowed: 'an integer from 1 to 65535', test: isWholeUpTo(65_535) },
  useSSL: { allowed: 'true or false', test: (value) => typeof value === 'boolean' },
  bucketName: {
    allowed: '3 to 63 lower-case letters, digits, dots and hyphens',
    test: isText((name) => /^(?!.*\.\.)[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(name)),
  },
  region: {
    allowed: 'a region such as us-east-1',
    test: isText((name) => /^[A-Za-z0-9_-]{1,64}$/.test(name)),
  },
  accessKeyId: {
    // A slash separates the parts of a signature's scope.
    allowed: '1 to 256 visible ASCII characters, none of them a slash',
    test: isText((id) => /^[!-.0-~]{1,256}$/.test(id)),
  },
  secretAccessKey: {
    allowed: '1 to 1024 ASCII characters',
    test: isText((secret) => /^[ -~]{1,1024}$/.test(secret)),
  },
  presignedUrlExpirySeconds: {
    allowed: `an integer from 1 to ${maxPresignedUrlExpirySeconds}`,
    test: isWholeUpTo(maxPresignedUrlExpirySeconds),
  },
  corsAllowedOrigins: {
    allowed: `a list of at most ${maxOrigins} origins such as https://app.example`,
    test: (origins) =>
      origins === null ||
      (Array.isArray(origins) &&
        origins.length <= maxOrigins &&
        origins.every(isText(isOriginPattern))),
  },
};

export const azureRules: Rules<AzureStorageConfig> = {
  containerName: {
    allowed: '3 to 63 lower-case letters, digits and single hyphens',
    test: isText((name) => /^(?!.*--)[a-z0-9][a-z0-9-]{1,61}[a-z0-9]$/.test(name)),
  },
  // The Azure store's parser checks the contents.
  connectionString: {
    allowed: 'the connection string of the storage account',
    test: isText((text) => text.length >= 1 && text.length <= 2048),
  },
};

/** The address at which the service itself reaches a store inside its network. */
export const internalRules: Rules<{
  internalEndpoint: string;
  internalPort: number;
  internalUseSSL: boolean;
}> = {
  internalEndpoint: s3Rules.endpoint,
  internalPort: s3Rules.port,
  internalUseSSL: s3Rules.useSSL,
};

/**
 * Checks an untrusted configuration in a request, where members may be missing.
 *
 * @throws {ForensicsError} `invalid_request`, saying which member is unknown or invalid.
 */
export function checkRequest(value: unknown): StorageRequest {
  const { s3 = null, azure = null } = readMembers(value, '', ['s3', 'azure']);
  return {
    s3: s3 === null ? null : checkGiven('s3', s3, s3Rules),
    azure: azure === null ? null : checkGiven('azure', azure, azureRules),
  };
}

/**
 * Rejects unknown members, because a typo would silently change where evidence is stored.
 *
 * @throws {ForensicsError} `invalid_request` unless it is an object with only `known` members.
 */
export function readMembers(value: unknown, path: string, known: readonly string[]): Members {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw invalidRequest(`storageConfig${path} must be an object.`);
  }
  const members: Members = { ...value };
  const unknown = Object.keys(members).find((name) => !known.includes(name));
  if (unknown === undefined) return members;
  throw invalidRequest(
    `storageConfig${path}.${unknown} is unknown; the known members are ${known.join(', ')}.`,
  );
}

export function invalidStorage(member: string, what: string): ForensicsError {
  return invalidRequest(`storageConfig.${member} ${what}.`);
}

/** @throws {ForensicsError} `invalid_request`, saying which member is missing or invalid. */
export function check<T extends object>(type: string, draft: Draft<T>, rules: Rules<T>): T {
  for (const member in rules) {
    if (draft[member] === undefined) {
      const { allowed } = rules[member];
      throw invalidStorage(`${type}.${member}`, `is missing; it must be ${allowed}`);
    }
    assertRule(`${type}.${member}`, draft[member], rules[member]);
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- every member was checked.
  return draft as T;
}

function checkGiven<T extends object>(type: string, given: unknown, rules: Rules<T>): Partial<T> {
  const draft = readMembers(given, `.${type}`, Object.keys(rules));
  for (const member in rules) {
    const value = draft[member];
    if (value !== undefined) assertRule(`${type}.${member}`, value, rules[member]);
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- every member was checked.
  return draft as Partial<T>;
}

function assertRule(path: string, value: unknown, { allowed, test }: Rule): void {
  if (!test(value)) throw invalidStorage(path, `must be ${allowed}`);
}

/** The last label must begin with a letter, because URL parsers read a number as an address. */
function isHostName(text: string): boolean {
  const label = '[a-z0-9](?:[a-z0-9_-]{0,61}[a-z0-9])?';
  return text.length <= 253 && new RegExp(`^(?:${label}\\.)*(?=[a-z])${label}$`, 'i').test(text);
}

/** Whether it is an origin as CORS rules allow it: `*`, an origin, or an origin with one `*` in its host. */
function isOriginPattern(text: string): boolean {
  if (text === '*') return true;
  const example = text.replace('*', 'any');
  const url = URL.parse(example);
  return url !== null && url.origin === example && /^https?:$/.test(url.protocol);
}

function isText(test: (text: string) => boolean): (value: unknown) => boolean {
  return (value) => typeof value === 'string' && test(value);
}

function isWholeUpTo(most: number): (value: unknown) => boolean {
  return (value) => Number.isInteger(value) && Number(value) >= 1 && Number(value) <= most;
}
