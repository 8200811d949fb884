/** Where a failure came from, for whoever asked with `--verbose`: names, messages and stacks, and no secret. */

const deepest = 8;

/** Properties of foreign errors are left out: among them are requests with their headers, and commands of protocols. */
export function causeOf(failure: Error): string {
  const parts: string[] = [];
  let at: unknown = failure;
  while (at instanceof Error && parts.length < deepest) {
    const code = 'code' in at && typeof at.code === 'string' ? ` [${at.code}]` : '';
    const text = at.stack ?? `${at.name}: ${at.message}`;
    const [first = '', ...rest] = text.split('\n');
    parts.push([`${parts.length === 0 ? '' : 'caused by: '}${first}${code}`, ...rest].join('\n'));
    at = at.cause;
  }
  return withoutSecrets(parts.join('\n'));
}

const secrets: readonly (readonly [RegExp, string])[] = [
  // Ours: API keys, secrets of webhooks.
  [/\bsk-[a-z0-9]+-[0-9A-Za-z]+/g, 'sk-***'],
  [/\bwhsec_[A-Za-z0-9+/=]+/g, 'whsec_***'],
  // Tokens (RFC 7519), and whatever stands in an Authorization header.
  [/\beyJ[\w-]+\.[\w-]+(\.[\w-]*)?/g, '***'],
  [/\b(ApiKey|Basic|Bearer)\s+[^\s'",]+/gi, '$1 ***'],
  // Addresses: a password before the host, and what signs a request behind the path.
  [/(\b[a-z][a-z0-9+.-]*:\/\/)[^\s/@]+@/gi, '$1***@'],
  [/(\bhttps?:\/\/[^\s?'"]+)\?[^\s'")]+/gi, '$1?***'],
];

function withoutSecrets(text: string): string {
  return secrets.reduce((masked, [pattern, shown]) => masked.replaceAll(pattern, shown), text);
}
