/**
 * Every act in the log, with its details. Ids, hashes, words of this program and numbers alone:
 * no name, no file name, no comment, no address, no secret. A name that was released is never given another meaning.
 */

type None = Readonly<Record<string, never>>;
/** SHA-256, lower-case hex, by the name of the file. */
export type FileHashes = Readonly<Record<string, string>>;

interface Options {
  readonly model: string;
  readonly decisionStrategy: string;
  readonly tier: string;
  readonly seed: number;
}

export interface EventDetails {
  /** From here on acts are logged; what was done before is not in the log. */
  readonly 'audit.begun': None;

  // The subject is the tenant.
  readonly 'tenant.created': { readonly isTrial: boolean };
  readonly 'tenant.changed': { readonly fields: readonly string[] };
  /** With its keys, which are revoked, and with how many people who were its members. */
  readonly 'tenant.deleted': { readonly keys: number; readonly members: number };
  /** Nothing of it is left but this log. */
  readonly 'tenant.purged': None;
  // The subject is the person.
  readonly 'tenant.member_added': None;
  readonly 'tenant.member_removed': None;
  // The subject is the key.
  readonly 'key.created': { readonly expiresAt: string };
  readonly 'key.rotated': { readonly replacedBy: string; readonly expiresAt: string };
  readonly 'key.revoked': None;

  /** How many settled messages were put back; the subject is the tenant. */
  readonly 'webhook.replayed': { readonly messages: number };

  // In the chain of the service and, but for the first, in those of the person's tenants; the subject is the person.
  readonly 'user.created': UserRights & { readonly identity: 'embedded' | 'provider' };
  readonly 'user.changed': UserRights & { readonly fields: readonly string[] };
  readonly 'user.disabled': None;
  readonly 'user.enabled': None;
  readonly 'user.password_changed': None;
  // In the chain of the service; without a subject.
  readonly 'master_key.rotated': { readonly endsOld: boolean; readonly resealed: number };
  /** Written by 0.1.0 alone, when it found that the write-ahead log was damaged. */
  readonly 'database.recovered': { readonly commits: number };
  /** Of the key that signs bundles: the SHA-256 of the new public key. */
  readonly 'signing_key.rotated': { readonly fingerprint: string };
  /** The SHA-256 of its manifest, which stands for every byte of it. */
  readonly 'backup.created': { readonly manifestSha256: string; readonly holdsKeys: boolean };

  // The subject is the analysis, or the tenant when all of it is on legal hold.
  readonly 'hold.added': None;
  readonly 'hold.removed': None;

  // The subject is the analysis.
  readonly 'analysis.created': Options & {
    readonly format: string;
    readonly width: number;
    readonly height: number;
  };
  /** The upload was read once and copied to where no client can reach it. */
  readonly 'analysis.received': {
    readonly sha256: string;
    readonly md5: string;
    readonly sizeBytes: number;
  };
  readonly 'analysis.begun': None;
  readonly 'analysis.completed': {
    readonly resultClass: string;
    readonly resultSubClasses: readonly string[];
    readonly model: string;
    readonly modelVersion: string;
    readonly modelFiles: FileHashes;
    readonly examinedAt: string;
    /** Of the bytes that were examined. */
    readonly originalSha256: string;
    /** Of the stored examination, as `examinationSha256` in src/service/analyses/examination-row.ts computes it. */
    readonly examinationSha256: string;
    /** Of the heatmaps and reports; null for the tier that has none. */
    readonly outputs: FileHashes | null;
  };
  readonly 'analysis.failed': { readonly code: string };
  /** By the service, after a failed attempt. */
  readonly 'analysis.retried': { readonly retryCount: number };
  /** By a client, after the analysis had failed. */
  readonly 'analysis.restarted': Options;
  readonly 'analysis.rolled_back': None;
  readonly 'analysis.upgraded': {
    readonly outputs: FileHashes;
    /** As above, with what the run had left out; missing in entries of earlier versions, which left out nothing. */
    readonly examinationSha256?: string;
  };
  /** Other bytes lay in the place of the upload after it was read; null when they were too large to be hashed. */
  readonly 'analysis.upload_replaced': { readonly sha256: string | null };
  /** A signed bundle was made: the SHA-256 of its manifest. */
  readonly 'analysis.bundled': { readonly manifestSha256: string };
  readonly 'analysis.deleted': { readonly because: 'asked' | 'retention' | 'tenant' };
  readonly 'analysis.purged': None;
}

interface UserRights {
  readonly userType: string;
  readonly scopes: readonly string[];
}

export type EventName = keyof EventDetails;
