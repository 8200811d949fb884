/** What the program can be told, by name and type. */

export const logLevels = ['silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace'] as const;
export type LogLevel = (typeof logLevels)[number];

export interface Settings {
  /** Folder of the database, the blobs, the keys and the certificates. Absolute. */
  readonly dataDir: string;
  readonly host: string;
  /** 0 lets the system choose one. */
  readonly port: number;
  /** What clients put before `/v1`, without a slash at the end; null when it follows from host and port. */
  readonly publicUrl: string | null;
  readonly tlsCert: string | null;
  readonly tlsKey: string | null;
  /** Plain HTTP, accepted only from a proxy on this machine that says it was HTTPS outside. */
  readonly behindProxy: boolean;
  /** Id of a validation that reports cite; null cites none. */
  readonly validation: string | null;
  /** A folder of further models beside those of the package. */
  readonly modelsDir: string | null;
  /** A PEM file of authorities whose signers of content credentials (C2PA) are trusted; null trusts nobody. */
  readonly c2paTrustList: string | null;
  /** Child processes that look at pictures. */
  readonly workers: number;
  /** How long a job stays with a worker that does not answer any more; what a crash costs at most. */
  readonly leaseSeconds: number;
  /** Largest upload in bytes. */
  readonly maxUploadBytes: number;
  /** What the files of one tenant may take in the embedded store, in bytes; 0 sets no limit. */
  readonly tenantQuotaBytes: number;
  /** Seconds that presigned URLs live. */
  readonly presignedUrlExpirySeconds: number;
  /** Days after its last change that an analysis is deleted by the service itself; 0 keeps it. */
  readonly retentionDays: number;
  /** Days that a deleted analysis is still kept, unseen by clients, before it is purged. */
  readonly deletedRetentionDays: number;
  /** Browser origins that may use presigned URLs. */
  readonly corsAllowedOrigins: readonly string[];
  /** Where webhooks may go: `external`, `private`, and address ranges such as `127.0.0.0/8`. */
  readonly webhookAllow: readonly string[];
  /** Where the stores that tenants configure may lie, in the same words. */
  readonly storageAllow: readonly string[];
  /** A JSON file that names the store of tenants without one of their own; null is the embedded store. */
  readonly defaultStorage: string | null;
  /** Requests a minute of one key, one user, or one address that named neither; 0 sets no limit. */
  readonly rateLimitPerMinute: number;
  /** Browser origins whose pages may call the interface. */
  readonly apiCorsAllowedOrigins: readonly string[];
  /** `host:port` where Prometheus may read metrics over plain HTTP; null opens nothing. */
  readonly metricsAddress: string | null;
  /** An OpenID Connect issuer that knows the users; null keeps embedded accounts. */
  readonly oidcIssuer: string | null;
  readonly oidcClientId: string | null;
  readonly oidcClientSecret: string | null;
  /** What access tokens must be made for; null means the client id. */
  readonly oidcAudience: string | null;
  /** Names of the claims that hold what we need. */
  readonly oidcScopesClaim: string;
  readonly oidcUserTypeClaim: string;
  readonly oidcTenantsClaim: string;
  /** A CA file for an issuer whose certificate no public authority signed. */
  readonly oidcCa: string | null;
  /** Where feedback goes: a mail address, or an address of an own receiver. */
  readonly feedbackMailTo: string | null;
  readonly feedbackMailFrom: string | null;
  /** `smtp://` or `smtps://`, with user name and password when the mail server wants them. */
  readonly feedbackSmtpUrl: string | null;
  readonly feedbackWebhookUrl: string | null;
  readonly logLevel: LogLevel;
  /** 64 hexadecimal digits; null keeps the key in the data folder. */
  readonly masterKey: string | null;
}
