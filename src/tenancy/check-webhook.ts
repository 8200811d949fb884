import type { ConnectionGuard } from '../outbound/connection-guard.ts';

export type WebhookGuard = Pick<ConnectionGuard, 'refusalOf'>;

/**
 * Why nothing could ever be delivered to this URL: null for names, which are judged whenever they are called, and for
 * what is no URL at all.
 */
export function complaintAbout(webhookUrl: string, guard: WebhookGuard): string | null {
  const host = URL.parse(webhookUrl)?.hostname ?? '';
  if (guard.refusalOf(host) === null) return null;
  return 'webhookUrl names an address that webhooks may not go to; which ones they may, the administrator says with webhookAllow.';
}
