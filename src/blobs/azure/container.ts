import type {
  BlobServiceClient,
  ContainerClient,
  StorageSharedKeyCredential,
} from '@azure/storage-blob';
import { ForensicsError } from '../../errors.ts';
import { createAgent, type RemoteSettings } from '../remote/agent.ts';
import type { AzureStorageConfig } from '../storage-config.ts';
import { parseConnectionString } from './connection-string.ts';
import { azureLibrary } from './library.ts';
import { createTransport } from './transport.ts';

export interface OpenContainer {
  readonly service: BlobServiceClient;
  readonly container: ContainerClient;
  readonly credential: StorageSharedKeyCredential;
}

/**
 * Connects to nothing.
 *
 * @throws {ForensicsError} `invalid_request` for a connection string or a container's name that is none.
 */
export function openContainer(config: AzureStorageConfig, settings: RemoteSettings): OpenContainer {
  const { connectionString, containerName } = config;
  const { accountName, accountKey, blobEndpoint } = parseConnectionString(connectionString);
  checkContainerName(containerName);
  const { BlobServiceClient, newPipeline, StorageSharedKeyCredential } = azureLibrary();
  const credential = new StorageSharedKeyCredential(accountName, accountKey);
  const pipeline = newPipeline(credential, {
    httpClient: createTransport(createAgent(blobEndpoint.startsWith('https:'), settings)),
    // Repeated by us, with the same rules as for every store.
    retryOptions: { maxTries: 1 },
  });
  const service = new BlobServiceClient(blobEndpoint, pipeline);
  return { service, container: service.getContainerClient(containerName), credential };
}

function checkContainerName(name: string): void {
  if (/^(?=.{3,63}$)[a-z0-9]+(-[a-z0-9]+)*$/.test(name)) return;
  throw new ForensicsError(
    'invalid_request',
    'The name of an Azure container has 3 to 63 lower-case letters, digits and single hyphens.',
  );
}
