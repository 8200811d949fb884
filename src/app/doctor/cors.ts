import { probeKey } from '../../blobs/remote/probe.ts';
import { diagnose, type Diagnosis, messageOf } from './diagnosis.ts';
import { uploadHeaders } from './presigned.ts';
import type { StoreToCheck } from './store.ts';
import type { VisitAnswer } from './visit.ts';

/** Asks before an upload as a browser would, for a page of each origin. Nothing where no pages are allowed. */
export async function checkCors(target: StoreToCheck): Promise<readonly Diagnosis[]> {
  const { tenant, store, origins, fixes, now } = target;
  if (origins.length === 0) return [];
  const { ok, failed } = diagnose('CORS', tenant);
  const { putUrl } = store.presign(probeKey(), now());
  const refused: string[] = [];
  try {
    for (const pattern of origins) {
      const origin = pattern === '*' ? 'https://any.example' : pattern.replace('*', 'any');
      if (!(await isLetIn(target, { origin, url: putUrl }))) refused.push(pattern);
    }
  } catch (error) {
    return [failed(messageOf(error), fixes.cors)];
  }
  return refused.length === 0
    ? [ok(`Pages of ${origins.join(', ')} may upload.`)]
    : [failed(`Browsers keep pages of ${refused.join(', ')} from uploading.`, fixes.cors)];
}

async function isLetIn(
  { store, visit }: StoreToCheck,
  { origin, url }: { readonly origin: string; readonly url: string },
): Promise<boolean> {
  const wanted = Object.keys(uploadHeaders(store.type));
  const answer = await visit({
    method: 'OPTIONS',
    url,
    headers: {
      origin,
      'access-control-request-method': 'PUT',
      'access-control-request-headers': wanted.join(','),
    },
  });
  const isDone = answer.status >= 200 && answer.status < 300;
  const allowed = {
    origin: namesIn(answer, 'access-control-allow-origin'),
    method: namesIn(answer, 'access-control-allow-methods'),
    header: namesIn(answer, 'access-control-allow-headers'),
  };
  return (
    isDone &&
    has(allowed.origin, origin) &&
    has(allowed.method, 'PUT') &&
    wanted.every((name) => has(allowed.header, name))
  );
}

function has(names: readonly string[], name: string): boolean {
  return names.includes('*') || names.includes(name.toLowerCase());
}

function namesIn({ headers }: VisitAnswer, header: string): readonly string[] {
  return String(headers[header] ?? '')
    .split(',')
    .map((name) => name.trim().toLowerCase());
}
