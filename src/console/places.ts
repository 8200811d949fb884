/** The pages of the navigation, in groups. Apart from what needs a browser: a test goes through them. */
export const places = [
  'analyses',
  'verify',
  null,
  'usage',
  'keys',
  'tenant',
  'users',
  'webhooks',
  'holds',
  'audit',
  'health',
  null,
  'account',
  'help',
] as const;
export const forManagers: ReadonlySet<string | null> = new Set([
  'users',
  'webhooks',
  'holds',
  'audit',
]);
