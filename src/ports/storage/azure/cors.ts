/** The CORS rules of an Azure account, one of which is ours. */

import type { BlobServiceClient, CorsRule } from '@azure/storage-blob';
import type { CorsOutcome } from '../store.ts';

/** Everything in our rule but its origins; also identifies it. */
const ours = {
  allowedMethods: 'DELETE,GET,HEAD,OPTIONS,PUT',
  allowedHeaders: '*',
  exposedHeaders: 'ETag,x-ms-request-id',
  maxAgeInSeconds: 3600,
};
/** Azure's limit for one service. */
const maxRules = 5;

/**
 * Adds origins to our rule. The rules belong to the account, not to the container: containers of other tenants may depend on
 * them, so nothing is ever removed.
 */
export async function addCorsRule(
  service: BlobServiceClient,
  origins: readonly string[],
  limit: { readonly abortSignal: AbortSignal },
): Promise<CorsOutcome> {
  const { cors: present = [] } = await service.getProperties(limit);
  const known = present.filter(isOurs).flatMap(({ allowedOrigins }) => allowedOrigins.split(','));
  if (origins.every((origin) => known.includes(origin))) return { applied: true };
  const allowedOrigins = [...new Set([...known, ...origins])].join(',');
  const cors = [...present.filter((rule) => !isOurs(rule)), { ...ours, allowedOrigins }];
  if (cors.length > maxRules) {
    const reason = `The storage account already has ${maxRules} CORS rules. Remove one.`;
    return { applied: false, reason };
  }
  // Omitted properties keep their values.
  await service.setProperties({ cors }, limit);
  return { applied: true };
}

function isOurs(rule: CorsRule): boolean {
  const { allowedMethods, allowedHeaders, exposedHeaders, maxAgeInSeconds } = rule;
  return (
    allowedMethods === ours.allowedMethods &&
    allowedHeaders === ours.allowedHeaders &&
    exposedHeaders === ours.exposedHeaders &&
    maxAgeInSeconds === ours.maxAgeInSeconds
  );
}
