/** Operations by the thing they are about. The first path that an address begins with decides. */

interface Tag {
  readonly path: string;
  readonly name: string;
  readonly description: string;
}

const table: readonly Tag[] = [
  { path: '/v1/analysis', name: 'Analyses', description: 'Create, start, read and delete.' },
  { path: '/v1/tenant', name: 'Tenant', description: 'Settings and usage of a tenant.' },
  { path: '/v1/auth/api', name: 'API keys', description: 'List, make and delete.' },
  { path: '/v1/auth', name: 'Sessions', description: 'Login and tokens of users.' },
  { path: '/v1/user', name: 'User', description: 'Settings of the user who asks.' },
  { path: '/v1/feedback', name: 'Feedback', description: 'A message to the people who run this.' },
  { path: '/v1', name: 'Service', description: 'Open to everybody.' },
];

export const tags = table.map(({ name, description }) => ({ name, description }));

export function tagOf(url: string): string {
  return table.find(({ path }) => url === path || url.startsWith(`${path}/`))?.name ?? 'Service';
}
