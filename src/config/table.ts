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
import type { Environment, Setting } from './setting.ts';
import { logLevels, type Settings } from './settings.ts';

type Table = { readonly [Name in keyof Settings]: Setting<Settings[Name]> };

const maxPresignedSeconds = 7 * 24 * 3600;
/** A hundred years. */
const maxRetentionDays = 36_500;

const mailAddressSetting: Setting<string | null> = {
  allowed: 'a mail address',
  parse: mailAddress,
  fallback: () => null,
};

export const table: Table = {
  dataDir: { allowed: 'the path of a folder', parse: path, fallback: defaultDataDir },
  host: { allowed: 'a host name or an IP address', parse: hostName, fallback: () => '127.0.0.1' },
  port: integer(0, 65_535, () => 8443),
  publicUrl: {
    allowed: 'an https:// address without path, such as https://forensics.example',
    parse: httpsOrigin,
    fallback: () => null,
  },
  tlsCert: { allowed: 'the path of a PEM file', parse: path, fallback: () => null },
  tlsKey: { allowed: 'the path of a PEM file', parse: path, fallback: () => null },
  behindProxy: { allowed: 'true or false', parse: truth, fallback: () => false },
  validation: {
    allowed: 'the id of a validation, 24 hexadecimal digits',
    parse: (value) =>
      typeof value === 'string' && /^[0-9a-f]{24}$/.test(value) ? value : undefined,
    fallback: () => null,
  },
  modelsDir: { allowed: 'the path of a folder', parse: path, fallback: () => null },
  c2paTrustList: { allowed: 'the path of a PEM file', parse: path, fallback: () => null },
  workers: integer(1, 64, defaultWorkers),
  leaseSeconds: integer(2, 600, () => 15),
  maxUploadBytes: integer(1024, 1_000_000_000, () => 50_000_000),
  tenantQuotaBytes: integer(0, 999_999_999_999_999, () => 0),
  presignedUrlExpirySeconds: integer(60, maxPresignedSeconds, () => maxPresignedSeconds),
  retentionDays: integer(0, maxRetentionDays, () => 0),
  deletedRetentionDays: integer(0, maxRetentionDays, () => 30),
  corsAllowedOrigins: {
    allowed: 'a list of origins such as https://app.example',
    parse: (value) => list(value, (entry) => entry === '*' || webOrigin(entry)),
    fallback: () => [],
  },
  webhookAllow: addressRanges(['external']),
  // Not `private`: what an attempt to reach a store answers tells a tenant which hosts and ports of the network are open.
  storageAllow: addressRanges(['external']),
  defaultStorage: { allowed: 'the path of a JSON file', parse: path, fallback: () => null },
  rateLimitPerMinute: integer(0, 1_000_000, () => 3000),
  apiCorsAllowedOrigins: {
    allowed: 'a list of origins such as https://app.example',
    parse: (value) => list(value, webOrigin),
    fallback: () => [],
  },
  metricsAddress: {
    allowed: 'host:port, such as 127.0.0.1:9464',
    parse: hostAndPort,
    fallback: () => null,
  },
  oidcIssuer: {
    allowed: 'the https:// address of an OpenID Connect issuer, without user name and password',
    parse: httpsUrl,
    fallback: () => null,
  },
  oidcClientId: line(null),
  oidcClientSecret: { ...line(null), secret: true },
  oidcAudience: line(null),
  oidcScopesClaim: line('scope'),
  oidcUserTypeClaim: line('userType'),
  oidcTenantsClaim: line('tenants'),
  oidcCa: { allowed: 'the path of a PEM file', parse: path, fallback: () => null },
  feedbackMailTo: mailAddressSetting,
  feedbackMailFrom: mailAddressSetting,
  feedbackSmtpUrl: {
    allowed: 'an smtp:// or smtps:// address',
    parse: (value) => urlOf(value, ['smtp:', 'smtps:']),
    fallback: () => null,
    secret: true,
  },
  feedbackWebhookUrl: {
    allowed: 'an http:// or https:// address',
    parse: (value) => urlOf(value, ['http:', 'https:']),
    fallback: () => null,
    secret: true,
  },
  logLevel: {
    allowed: `one of ${logLevels.join(', ')}`,
    parse: (value) => logLevels.find((level) => level === value),
    fallback: () => 'info',
  },
  masterKey: {
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
