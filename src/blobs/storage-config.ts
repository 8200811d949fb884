/** The contract's StorageConfig: where a tenant keeps its objects when not in the service's own store. */

export interface S3StorageConfig {
  /** Host name or address, without scheme and port. */
  readonly endpoint: string;
  readonly port: number;
  readonly useSSL: boolean;
  readonly bucketName: string;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** 1..604800, the longest that Signature Version 4 allows. */
  readonly presignedUrlExpirySeconds: number;
  /** Null: nobody said anything, and the service's own list counts. */
  readonly corsAllowedOrigins: readonly string[] | null;
}

export interface AzureStorageConfig {
  readonly containerName: string;
  readonly connectionString: string;
}

export type StorageConfig =
  | { readonly type: 's3'; readonly s3: S3StorageConfig }
  | { readonly type: 'azure'; readonly azure: AzureStorageConfig };
