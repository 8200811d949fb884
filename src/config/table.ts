/** Every setting in one table: what it may be, and what it is when nobody says anything. */

import { availableParallelism, homedir } from 'node:os';
import { join } from 'node:path';
import {
  hostAndPort,
  hostName,
  httpsOrigin,
  httpsUrl,
  integer,
  list,
  mailAddress,
  nonEmpty,
  path,
  line,
  truth,
  urlOf,
  webOrigin,
} from './setting.ts';
import type { Described, Environment, Setting } from './setting.ts';
import { logLevels, type Settings } from './settings.ts';

type Table = { readonly [Name in keyof Settings]: Described & Setting<Settings[Name]> };

const maxPresignedSeconds = 7 * 24 * 3600;
/** A hundred years. */
const maxRetentionDays = 36_500;

const mailAddressSetting: Setting<string | null> = {
  allowed: 'a mail address',
  parse: mailAddress,
  fallback: () => null,
};

export const table: Table = {
  dataDir: {
    about: 'where the server keeps everything',
    allowed: 'the path of a folder',
    parse: path,
    fallback: defaultDataDir,
  },
  host: {
    about: 'the address to listen on',
    allowed: 'a host name or an IP address',
    parse: hostName,
    fallback: () => '127.0.0.1',
  },
  port: { about: 'the port to listen on; 0 takes a free one', ...integer(0, 65_535, () => 8443) },
  publicUrl: {
    about:
      'what clients put before `/v1` when it is not host and port; presigned URLs are signed for it',
    allowed: 'an https:// address without path, such as https://forensics.example',
    parse: httpsOrigin,
    fallback: () => null,
  },
  tlsCert: {
    about: 'your certificate instead of one of the own authority',
    allowed: 'the path of a PEM file',
    parse: path,
    fallback: () => null,
  },
  tlsKey: {
    about: 'its private key',
    allowed: 'the path of a PEM file',
    parse: path,
    fallback: () => null,
  },
  behindProxy: {
    about: 'plain HTTP, only for a proxy on this machine that says `X-Forwarded-Proto: https`',
    allowed: 'true or false',
    parse: truth,
    fallback: () => false,
  },
  validation: {
    about: 'a validation of your own that reports cite',
    allowed: 'the id of a validation, 24 hexadecimal digits',
    parse: (value) =>
      typeof value === 'string' && /^[0-9a-f]{24}$/.test(value) ? value : undefined,
    fallback: () => null,
  },
  modelsDir: {
    about: 'where `models add` puts further models; without it `models` in the data folder',
    allowed: 'the path of a folder',
    parse: path,
    fallback: () => null,
  },
  c2paTrustList: {
    about: 'the authorities whose C2PA signers are trusted',
    allowed: 'the path of a PEM file',
    parse: path,
    fallback: () => null,
  },
  workers: {
    about: 'child processes that examine',
    fallbackText: 'the cores less one, at most 4',
    ...integer(1, 64, defaultWorkers),
  },
  leaseSeconds: {
    about: 'after which the run of a dead process is taken up again',
    ...integer(2, 600, () => 15),
  },
  maxUploadBytes: {
    about: 'the largest upload',
    ...integer(1024, 1_000_000_000, () => 50_000_000),
  },
  tenantQuotaBytes: {
    about: 'what a tenant may keep in the embedded store; 0 sets no limit',
    ...integer(0, 999_999_999_999_999, () => 0),
  },
  presignedUrlExpirySeconds: {
    about: 'how long URLs of the embedded store live',
    ...integer(60, maxPresignedSeconds, () => maxPresignedSeconds),
  },
  retentionDays: {
    about: 'after which a finished or never started analysis is deleted; 0 keeps it',
    ...integer(0, maxRetentionDays, () => 0),
  },
  deletedRetentionDays: {
    about:
      'after which a deleted analysis and its objects are purged; `forensics hold` prevents it',
    ...integer(0, maxRetentionDays, () => 30),
  },
  corsAllowedOrigins: {
    about: 'origins whose pages may upload and download',
    allowed: 'a list of origins such as https://app.example',
    parse: (value) => list(value, (entry) => entry === '*' || webOrigin(entry)),
    fallback: () => [],
  },
  webhookAllow: { about: 'where webhooks may go', ...addressRanges(['external']) },
  // Not `private`: what an attempt to reach a store answers tells a tenant which hosts and ports of the network are open.
  storageAllow: {
    about:
      'where stores that tenants configure may lie. Name no more than needed: whoever may configure a store learns what answers there',
    ...addressRanges(['external']),
  },
  defaultStorage: {
    about:
      'names the S3 bucket or Azure container of all tenants without one of their own, mode 600; without it the embedded store',
    allowed: 'the path of a JSON file',
    parse: path,
    fallback: () => null,
  },
  rateLimitPerMinute: {
    about: 'requests of one key, person or address; 0 sets no limit',
    ...integer(0, 1_000_000, () => 3000),
  },
  apiCorsAllowedOrigins: {
    about: 'origins whose pages may call the interface',
    allowed: 'a list of origins such as https://app.example',
    parse: (value) => list(value, webOrigin),
    fallback: () => [],
  },
  metricsAddress: {
    about: 'where Prometheus may read over plain HTTP',
    allowed: 'host:port, such as 127.0.0.1:9464',
    parse: hostAndPort,
    fallback: () => null,
  },
  oidcIssuer: {
    about:
      'the identity provider that knows the people, to the letter as it writes itself; without it accounts of this installation',
    allowed: 'the https:// address of an OpenID Connect issuer, without user name and password',
    parse: httpsUrl,
    fallback: () => null,
  },
  oidcClientId: { about: 'our name at that provider', ...line(null) },
  oidcClientSecret: { about: 'our secret there, where it wants one', ...line(null), secret: true },
  oidcAudience: {
    about: 'what access tokens must be made for; without it the client id',
    ...line(null),
  },
  oidcScopesClaim: { about: 'the claim that holds the scopes', ...line('scope') },
  oidcUserTypeClaim: { about: 'the claim that holds the user type', ...line('userType') },
  oidcTenantsClaim: { about: 'the claim that holds the tenants', ...line('tenants') },
  oidcCa: {
    about: 'the authority of a provider that no public one signed',
    allowed: 'the path of a PEM file',
    parse: path,
    fallback: () => null,
  },
  feedbackMailTo: { about: 'who gets feedback by mail', ...mailAddressSetting },
  feedbackMailFrom: { about: 'whom these mails come from', ...mailAddressSetting },
  feedbackSmtpUrl: {
    about: 'the mail server, with user name and password where it wants them',
    allowed: 'an smtp:// or smtps:// address',
    parse: (value) => urlOf(value, ['smtp:', 'smtps:']),
    fallback: () => null,
    secret: true,
  },
  feedbackWebhookUrl: {
    about: 'an own receiver of feedback',
    allowed: 'an http:// or https:// address',
    parse: (value) => urlOf(value, ['http:', 'https:']),
    fallback: () => null,
    secret: true,
  },
  logLevel: {
    about: 'how much is logged',
    allowed: `one of ${logLevels.join(', ')}`,
    parse: (value) => logLevels.find((level) => level === value),
    fallback: () => 'info',
  },
  masterKey: {
    about: 'the master key, instead of the file in the data folder',
    allowed: '64 hexadecimal digits',
    parse: (value) =>
      typeof value === 'string' && /^[0-9a-f]{64}$/i.test(value) ? value.toLowerCase() : undefined,
    fallback: () => null,
    secret: true,
  },
};

function addressRanges(fallback: readonly string[]): Setting<readonly string[]> {
  return {
    allowed: 'a list of external, private and address ranges such as 10.1.0.0/16',
    parse: (value) =>
      list(value, (entry) => /^(external|private|[0-9a-f.:]+\/\d{1,3})$/i.test(entry)),
    fallback: () => fallback,
  };
}

// One core is left to the server itself; each child may need memory for a whole picture.
function defaultWorkers(): number {
  return Math.min(4, Math.max(1, availableParallelism() - 1));
}

function defaultDataDir(environment: Environment): string {
  const base = nonEmpty(environment['XDG_DATA_HOME']) ?? join(homedir(), '.local', 'share');
  return join(base, 'forensics');
}
