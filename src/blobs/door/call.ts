import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ObjectFiles } from '../files/object-files.ts';
import type { Uploads } from '../multipart/uploads.ts';
import type { Payload } from '../signature/payload.ts';
import type { Cors } from './cors.ts';

/** One signed request, as far as it is understood before its own part begins. */
export interface Call {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly bucket: string;
  /** Empty when the bucket itself is meant. */
  readonly key: string;
  readonly query: ReadonlyMap<string, string>;
  readonly region: string;
  readonly payload: Payload;
  readonly objects: ObjectFiles;
  readonly uploads: Uploads;
  readonly limits: Limits;
  readonly cors: Cors;
  /** Tells a client that waits with its body (`Expect: 100-continue`) to send it. */
  readonly askForBody: () => void;
}

export interface Limits {
  readonly maxObjectBytes: number;
  /** A client that neither sends nor takes a byte for so long is let go. */
  readonly idleTimeoutMs: number;
}

export function oneHeader(request: IncomingMessage, name: string): string | null {
  const values = request.headersDistinct[name];
  return values === undefined ? null : values.join(', ');
}
