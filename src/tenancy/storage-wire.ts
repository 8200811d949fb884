/** The contract's `storageConfig` as it is sent and answered. What is answered holds no secret. */

import { parseConnectionString } from '../blobs/azure/connection-string.ts';
import type {
  AzureStorageConfig,
  S3StorageConfig,
  StorageConfig,
} from '../blobs/storage-config.ts';

/** As it is sent: what is left out stays as it was, and what was answered masked may be sent back so. */
export interface StorageRequest {
  readonly s3?: Partial<S3StorageConfig> | null;
  readonly azure?: Partial<AzureStorageConfig> | null;
}

/** As it is answered: `corsAllowedOrigins` is missing where the service's own list counts. */
export interface S3Answer extends Omit<S3StorageConfig, 'corsAllowedOrigins'> {
  readonly corsAllowedOrigins?: readonly string[];
}

export type StorageAnswer = { readonly s3: S3Answer } | { readonly azure: AzureStorageConfig };

const stars = '***';

export function maskStorage(config: StorageConfig): StorageAnswer {
  return config.type === 's3' ? { s3: maskS3(config.s3) } : { azure: maskAzure(config.azure) };
}

export function maskS3({ corsAllowedOrigins, ...config }: S3StorageConfig): S3Answer {
  return {
    ...config,
    accessKeyId: maskKeyId(config.accessKeyId),
    secretAccessKey: stars,
    ...(corsAllowedOrigins === null ? {} : { corsAllowedOrigins }),
  };
}

/** The string is built anew from its parts that are no secret, so that nothing else of it can get through. */
export function maskAzure({ containerName, connectionString }: AzureStorageConfig) {
  const { accountName, blobEndpoint } = parseConnectionString(connectionString);
  const masked = `AccountName=${accountName};AccountKey=${stars};BlobEndpoint=${blobEndpoint}`;
  return { containerName, connectionString: masked } satisfies AzureStorageConfig;
}

/** True for a text that stands for a secret: it is never taken for a secret itself. */
export function isMasked(text: string): boolean {
  return text.startsWith(stars) || text.includes(`AccountKey=${stars}`);
}

/** The end tells people which key it is. */
function maskKeyId(accessKeyId: string): string {
  return accessKeyId.length < 12 ? stars : `${stars}${accessKeyId.slice(-4)}`;
}
