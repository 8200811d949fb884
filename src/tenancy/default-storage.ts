/**
 * The store of the whole service as an administrator writes it down: the contract's StorageConfig, held to the same rules as
 * one that a tenant sends, and for S3 a second address, at which the service itself reaches the server.
 */

import { isDeepStrictEqual } from 'node:util';
import {
  placeOf,
  type S3Address,
  type S3StorageConfig,
  type SharedConfig,
} from '../blobs/storage-config.ts';
import {
  checkInternal,
  checkRequest,
  type InternalMembers,
  internalMembers,
  membersOf,
  s3Members,
} from './check-storage.ts';
import { mergeStorage } from './merge-storage.ts';

/**
 * @param value - JSON that nobody looked at.
 * @returns the whole of the store: with an empty prefix.
 * @throws {ForensicsError} `invalid_request` that names the member and says what it must be.
 */
export function parseDefaultStorage(value: unknown): SharedConfig {
  const { s3 = null, azure } = membersOf(value, '', ['s3', 'azure']);
  const given = s3 === null ? {} : membersOf(s3, '.s3', [...s3Members, ...internalMembers]);
  const { internalEndpoint, internalPort, internalUseSSL, ...own } = given;
  const config = mergeStorage(null, checkRequest({ s3: s3 === null ? null : own, azure }));
  const internal =
    config.type === 's3'
      ? internalOf(config.s3, { internalEndpoint, internalPort, internalUseSSL })
      : null;
  const whole = { ...config, shared: { keyPrefix: '', internal } };
  // Also reads a connection string, which the rules leave to its parser.
  placeOf(whole);
  return whole;
}

/** What is left out is as it is for clients; null when nothing else was said. */
function internalOf(
  { endpoint, port, useSSL }: S3StorageConfig,
  {
    internalEndpoint,
    internalPort,
    internalUseSSL,
  }: Readonly<Record<keyof InternalMembers, unknown>>,
): S3Address | null {
  const address = checkInternal({
    internalEndpoint: internalEndpoint ?? endpoint,
    internalPort: internalPort ?? port,
    internalUseSSL: internalUseSSL ?? useSSL,
  });
  return isDeepStrictEqual(address, { endpoint, port, useSSL }) ? null : address;
}
