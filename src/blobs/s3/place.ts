import { isIPv6 } from 'node:net';
import { ForensicsError } from '../../errors.ts';
import type { S3StorageConfig } from '../storage-config.ts';

/** What the client library takes, and URLs do not read as something else. */
const hostPattern = /^[a-z\d:]([\w.:-]*[a-z\d:.])?$/i;

/** Amazon's host of the region: the one without region sends path-style requests elsewhere. */
export function endpointOf({ endpoint, region }: S3StorageConfig): string {
  return endpoint === 's3.amazonaws.com' ? `s3.${region}.amazonaws.com` : endpoint;
}

/**
 * Scheme, host and port as clients must use them: the host is part of what is signed.
 *
 * @throws {ForensicsError} `invalid_request` for an endpoint that is no host name or address.
 */
export function originOf(config: S3StorageConfig): string {
  const host = endpointOf(config);
  const named = isIPv6(host) ? `[${host}]` : host;
  const url = URL.parse(`${config.useSSL ? 'https' : 'http'}://${named}:${config.port}`);
  if (url !== null && hostPattern.test(host)) return url.origin;
  throw new ForensicsError(
    'invalid_request',
    'The endpoint is a host name or an address, without scheme, port and path.',
  );
}
