import { maxKeyBytes } from '../checks.ts';
import { Refusal } from '../refusal.ts';
import type { Call } from './call.ts';
import { getObject } from './get-object.ts';
import { listObjects } from './list-objects.ts';
import { putObject } from './put-object.ts';
import { sendXml } from './xml.ts';

/** Parameters that make another operation of a request; those that are served stand in the code below. */
const otherOperations = new Set(
  `accelerate acl analytics attributes cors delete encryption intelligent-tiering inventory legal-hold lifecycle
  logging metrics notification object-lock ownershipControls partNumber policy policyStatus publicAccessBlock
  renameObject replication requestPayment restore retention select session tagging torrent uploadId uploads
  versionId versioning versions website`.split(/\s+/),
);

/** The one act that method, key and query name. @throws {Refusal} `NotImplemented`, `MethodNotAllowed`. */
export async function routeCall(call: Call): Promise<void> {
  const other = [...call.query.keys()].find((name) => otherOperations.has(name));
  if (other !== undefined) throw new Refusal('NotImplemented', `?${other} is not offered here.`);
  if (call.request.headers['x-amz-expected-bucket-owner'] !== undefined) {
    throw new Refusal('NotImplemented', 'Buckets have no owner here.');
  }
  if (call.key === '') return routeBucket(call);
  if (Buffer.byteLength(call.key) > maxKeyBytes) throw new Refusal('KeyTooLongError');
  return routeObject(call);
}

async function routeObject(call: Call): Promise<void> {
  switch (call.request.method ?? '') {
    case 'GET':
    case 'HEAD':
      return getObject(call);
    case 'PUT':
      return putObject(call);
    case 'DELETE':
      return deleteObject(call);
    default:
      throw new Refusal('MethodNotAllowed');
  }
}

async function deleteObject(call: Call): Promise<void> {
  if (call.request.headers['if-match'] !== undefined) {
    throw new Refusal('NotImplemented', 'Deleting knows no conditions here.');
  }
  await call.files.remove(call.key);
  finish(call, 204);
}

async function routeBucket(call: Call): Promise<void> {
  const { request, response, query, region } = call;
  switch (request.method ?? '') {
    case 'HEAD':
      response.setHeader('x-amz-bucket-region', region);
      return finish(call, 200);
    case 'GET':
      // S3 leaves the element empty for its first region.
      if (query.has('location')) {
        return sendXml(response, 200, ['LocationConstraint', region === 'us-east-1' ? '' : region]);
      }
      return listObjects(call);
    case 'PUT':
      throw new Refusal('BucketAlreadyOwnedByYou');
    default:
      throw new Refusal('MethodNotAllowed');
  }
}

function finish({ response }: Call, status: number): void {
  response.statusCode = status;
  response.end();
}
