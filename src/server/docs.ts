/**
 * `/docs`: a page to read the interface document and to try it with a key or a token. Everything that it needs comes from
 * this server; it shows nothing but the document, so nobody is asked who he is.
 */

import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance } from 'fastify';

const path = '/docs';

// The page is a program: it needs its own scripts and requests, and writes styles into its elements. Nothing from elsewhere.
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

export async function docsRoutes(server: FastifyInstance): Promise<void> {
  server.addHook('onRoute', (route) => {
    route.config = { ...route.config, access: 'everyone' };
  });
  server.addHook('onRequest', async (_request, reply) => {
    void reply.header('content-security-policy', contentSecurityPolicy);
  });
  await server.register(swaggerUi, {
    routePrefix: path,
    theme: { title: 'forensics' },
    logo: { type: 'image/svg+xml', content: '' },
    uiConfig: {
      // Without the bar that takes documents from other addresses.
      layout: 'BaseLayout',
      docExpansion: 'list',
      defaultModelsExpandDepth: 0,
      displayRequestDuration: true,
      tryItOutEnabled: true,
    },
  });
}
