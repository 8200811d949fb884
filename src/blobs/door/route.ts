import type { ServerResponse } from 'node:http';
import { maxKeyBytes } from '../checks.ts';
import { Refusal } from '../refusal.ts';
import type { Call } from './call.ts';
import { completeUpload } from './complete-upload.ts';
import { deleteCondition } from './conditions.ts';
import { deleteObjects } from './delete-objects.ts';
import { getObject } from './get-object.ts';
import { listObjects } from './list-objects.ts';
import { listParts, listUploads } from './list-uploads.ts';
import { abortUpload, createUpload, uploadPart } from './multipart.ts';
import { checkHeaders } from './object-headers.ts';
import { putObject } from './put-object.ts';
import { sendXml } from './xml.ts';

/** Parameters that make another operation of a request; those that are served stand in the code below. */
const otherOperations = new Set(
  `accelerate acl analytics attributes encryption intelligent-tiering inventory legal-hold lifecycle
  logging metrics notification object-lock ownershipControls policy policyStatus publicAccessBlock
  renameObject replication requestPayment restore retention select session tagging torrent
  versionId versioning versions website`.split(/\s+/),
);

/** The one act that method, key and query name. @throws {Refusal} `NotImplemented`, `MethodNotAllowed`. */
export async function routeCall(call: Call): Promise<void> {
  const other = [...call.query.keys()].find((name) => otherOperations.has(name));
  if (other !== undefined) throw notOffered(other);
  if (call.request.headers['x-amz-expected-bucket-owner'] !== undefined) {
    throw new Refusal('NotImplemented', 'Buckets have no owner here.');
  }
  if (Buffer.byteLength(call.key) > maxKeyBytes) throw new Refusal('KeyTooLongError');
  await actOf(call.key === '' ? bucketActs : objectActs, call)(call);
}

type Act = (call: Call) => void | Promise<void>;

/** Of the bucket, by the parameter that names them; an empty text is the bucket itself. */
const bucketActs: Readonly<Record<string, Readonly<Record<string, Act>>>> = {
  location: { GET: location },
  cors: { GET: readCors, PUT: changeCors, DELETE: changeCors },
  uploads: { GET: listUploads },
  delete: { POST: deleteObjects },
  '': {
    HEAD: ({ response, region }) => {
      response.setHeader('x-amz-bucket-region', region);
      finish(response, 200);
    },
    GET: listObjects,
    PUT: () => {
      throw new Refusal('BucketAlreadyOwnedByYou');
    },
  },
};

/** Of an object, in the same way. */
const objectActs: typeof bucketActs = {
  uploads: { POST: createUpload },
  uploadId: { GET: listParts, PUT: uploadPart, POST: completeUpload, DELETE: abortUpload },
  '': { GET: getObject, HEAD: getObject, PUT: putObject, DELETE: deleteObject },
};

const parameters = new Set(
  [...Object.keys(bucketActs), ...Object.keys(objectActs)].filter((name) => name !== ''),
);

function actOf(acts: typeof bucketActs, { query, request }: Call): Act {
  const [parameter = '', ...more] = [...parameters].filter((name) => query.has(name));
  if (more.length > 0 || !(parameter in acts)) throw notOffered(parameter);
  // A part of an object is one of an upload; what else it could mean is not offered.
  if (parameter !== 'uploadId' && query.has('partNumber')) throw notOffered('partNumber');
  const act = acts[parameter]?.[request.method ?? ''];
  if (act === undefined) throw new Refusal('MethodNotAllowed');
  return act;
}

async function deleteObject({ request, response, objects, key }: Call): Promise<void> {
  checkHeaders(request);
  await objects.remove(key, deleteCondition(request));
  finish(response, 204);
}

function location({ response, region }: Call): void {
  // S3 leaves the element empty for its first region.
  sendXml(response, 200, ['LocationConstraint', region === 'us-east-1' ? '' : region]);
}

function readCors({ response, cors }: Call): void {
  sendXml(response, 200, cors.rules());
}

function changeCors(): void {
  throw new Refusal(
    'NotImplemented',
    'Which origins are allowed is a setting of this service (corsAllowedOrigins), not of a bucket.',
  );
}

function notOffered(parameter: string): Refusal {
  return new Refusal('NotImplemented', `?${parameter} is not offered here.`);
}

function finish(response: ServerResponse, status: number): void {
  response.statusCode = status;
  response.end();
}
