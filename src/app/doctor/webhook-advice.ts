/** What to do about a receiver that did not take a message, by the outcome of the attempt. */

type Advice = readonly [outcome: RegExp, advice: string];

const advices: readonly Advice[] = [
  [
    /^http_410$/,
    'It says that it wants no messages any more; a real one would be the last. Take the 410 back, or set another URL.',
  ],
  [/^http_3/, 'Redirects are not followed; set the URL that it leads to.'],
  [
    /^http_40[13]$/,
    'It refused the sender. Check the token in the URL, and that it has the secret of: forensics tenant webhook-secret <tenant>',
  ],
  [/^http_40[45]$/, 'Nothing takes a POST at this path. Check the path of the URL.'],
  [/^http_429$/, 'It takes no more messages for now. Raise its limit for this sender.'],
  [/^http_4/, 'It refused the message. It has to answer 2xx to a POST of application/json.'],
  [/^http_5/, 'It failed. Look into its log, then try again.'],
  [/^http_/, 'It has to answer with a status of 2xx.'],
  [
    /^(timeout|UND_ERR_CONNECT_TIMEOUT|ETIMEDOUT)$/,
    'It did not answer within 5 s. Check firewalls on the way; a receiver answers first and works afterwards.',
  ],
  [
    /^address_refused$/,
    'Webhooks may not go to its address. Allow it in the setting webhookAllow (FORENSICS_WEBHOOK_ALLOW), such as external,private or external,127.0.0.0/8, also for the server.',
  ],
  [/^(ENOTFOUND|EAI_AGAIN)$/, 'Its name leads to no address. Check the host of the URL and DNS.'],
  [/^ECONNREFUSED$/, 'Nothing listens there. Start the receiver, or check the port of the URL.'],
  [/^(EHOSTUNREACH|ENETUNREACH)$/, 'There is no way to it. Check the network of this machine.'],
  [
    /CERT|ISSUER|SIGNATURE|ALTNAME|TLS/,
    'Its certificate is not trusted. Renew it, or name the CA that signed it in NODE_EXTRA_CA_CERTS, also for the server.',
  ],
  [
    /^(ECONNRESET|EPIPE|EPROTO|UND_ERR_SOCKET)$|^HPE_|SSL/,
    'It broke the connection off. Check whether the URL should begin with http:// or https://.',
  ],
];

/** @param outcome - as the sender names it: `http_500`, `timeout`, `ECONNREFUSED`. */
export function adviceOn(outcome: string, tenantName: string): string {
  const [, advice] = advices.find(([pattern]) => pattern.test(outcome)) ?? [];
  const words = advice ?? 'The connection failed. Check the URL, and the way to it.';
  return words.replace('<tenant>', tenantName);
}
