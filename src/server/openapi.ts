/**
 * The OpenAPI document, generated from the schemas that validate requests. A route declares what is specific to it with
 * `operation`; whatever follows from its address, access and input is added here, so that no route can forget it.
 */

import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance, FastifySchema, RouteOptions } from 'fastify';
import { Type } from 'typebox';
import { settingsScope } from '../service/access/principal.ts';
import { analysisComponents } from '../contract/analysis.ts';
import { dateTime, failed, oneOf, orNull } from '../contract/common.ts';
import { tenantComponents } from '../contract/tenant.ts';
import { usageComponents } from '../contract/usage.ts';
import { statuses } from '../contract/vocabulary.ts';
import { type Access, demands } from './authenticate.ts';
import { maxIdempotencyKeyLength } from '../contract/limits.ts';
import { failures } from '../contract/errors.ts';

const introduction = `Decides whether a picture is real or fake, and says so if it cannot tell.

Create an analysis, PUT the picture to its \`putUrl\`, start it, and read it until its status is \`completed\`.

Every failure is \`{success: false, message}\`; the header \`x-error-code\` holds a code that stays the same when the
message is reworded. An unknown address gets 404 \`not_found\`; a method that an address does not support gets
405 \`method_not_allowed\` with \`Allow\`; a request that is not valid HTTP gets 400, 408 or 431 \`invalid_request\`.

Requests are limited per minute for each key, user or, without either, network address. The headers \`ratelimit-limit\`,
\`ratelimit-remaining\` and \`ratelimit-reset\` show what is left; beyond that, 429 \`rate_limited\` says in \`Retry-After\` when
to try again.`;

const analysisMessage = Type.Object(
  {
    analysisId: Type.String(),
    tenantId: Type.String(),
    name: Type.String(),
    status: oneOf(statuses),
    timestamp: dateTime,
    resultClass: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 3,
        description: '0 real, 1 fake, 2 abstain, 3 uncertain; present when status is completed.',
      }),
    ),
    resultSubClasses: Type.Optional(
      Type.Array(Type.Integer({ minimum: 0, maximum: 2 }), {
        description: '0 ai-generated, 1 ai-manipulated, 2 manipulated',
      }),
    ),
    processingStartTime: orNull(dateTime),
    processingFinishTime: orNull(dateTime),
    statusMessage: Type.Optional(Type.String({ description: 'Present when status is failed.' })),
  },
  {
    $id: 'AnalysisMessage',
    additionalProperties: false,
    examples: [
      {
        analysisId: '65f1c0ffee0123456789abcd',
        tenantId: '65f1c0ffee0123456789abce',
        name: 'Claim 4711',
        status: 'completed',
        timestamp: '2026-01-31T12:00:03.250Z',
        resultClass: 1,
        resultSubClasses: [0],
        processingStartTime: '2026-01-31T12:00:00.000Z',
        processingFinishTime: '2026-01-31T12:00:03.000Z',
      },
    ],
  },
);

const header = (name: string, description: string, schema: object = { type: 'string' }) => ({
  in: 'header' as const,
  name,
  required: true,
  description,
  schema,
});

const webhooks = {
  analysisStatus: {
    post: {
      operationId: 'analysisStatus',
      summary: 'The status of an analysis changed, or the analysis was deleted',
      description: `Sent to the tenant's webhookUrl at least once, signed as the Standard Webhooks specification describes, and
in order for each analysis. Anything but a 2xx response within 5 seconds is retried for three days; 410 stops all
messages. Redirects are not followed. Creating an analysis sends nothing.`,
      security: [],
      parameters: [
        header('webhook-id', 'The same for every attempt of a message.'),
        header('webhook-timestamp', 'Time of this attempt, in seconds since 1970.'),
        header(
          'webhook-signature',
          'v1, followed by the HMAC-SHA-256 of id.timestamp.body in Base64.',
        ),
        header('webhook-event', 'What happened.', { type: 'string', enum: ['update', 'delete'] }),
        header('user-agent', 'Always the same.', { const: 'Service-Webhook/1.0' }),
      ],
      requestBody: {
        required: true,
        content: {
          'application/json': { schema: { $ref: '#/components/schemas/AnalysisMessage' } },
        },
      },
      responses: {
        '2XX': { description: 'Accepted.' },
        '410': { description: 'Nothing more is sent until the tenant sets its webhookUrl again.' },
        default: { description: 'The message is tried again later.' },
      },
    },
  },
};

const securitySchemes = {
  apiKey: {
    type: 'apiKey',
    in: 'header',
    name: 'Authorization',
    description: 'A key of the tenant: `ApiKey sk-...`; `Bearer sk-...` is accepted too.',
  },
  userToken: {
    type: 'http',
    scheme: 'bearer',
    description: 'The access token of a user, from POST /v1/auth/login or the identity provider.',
  },
} as const;

/** Each requirement states the scope that a user needs; an API key needs no scope. */
function securityFor(access: Access) {
  const demand = demands[access];
  if (demand === null) return [];
  const ofUsers = { userToken: demand.settings ? [settingsScope] : [] };
  return demand.isForUsers ? [ofUsers] : [{ apiKey: [] }, ofUsers];
}

export async function describeInterface(
  server: FastifyInstance,
  { version, publicUrl }: { readonly version: string; readonly publicUrl: string | null },
) {
  await server.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: { title: 'forensics', version, description: introduction },
      // A relative address refers to the host that served the document.
      servers: [...(publicUrl === null ? [] : [{ url: publicUrl }]), { url: '/' }],
      tags: topics.map(({ name }) => ({ name })),
      components: { securitySchemes },
      webhooks,
    },
    refResolver: {
      buildLocalReference: ({ $id }, _base, _fragment, index) =>
        typeof $id === 'string' ? $id : `def-${index}`,
    },
    transform: ({ schema, url, route }) => ({ schema: completed(schema, url, route), url }),
  });
  const ours = [...analysisComponents, ...tenantComponents, ...usageComponents];
  for (const one of [...ours, failed, errorCode, analysisMessage]) server.addSchema(one);
}

function completed(schema: FastifySchema, url: string, route: RouteOptions): FastifySchema {
  const { access = 'tenant', rateLimit } = route.config ?? {};
  const security = securityFor(access);
  const answers = describeResponses(schema.response, rateLimit !== false);
  const tag = topics.find(({ path }) => url === path || url.startsWith(`${path}/`));
  // Declared only here, because the validator only knows JSON.
  const file = schema.consumes && { body: { type: 'string', format: 'binary' } };
  return { ...schema, ...file, tags: [tag?.name ?? 'Service'], security, response: answers };
}

/** Operations by topic. An address belongs to the first topic with a path that is a prefix of the address. */
const topics = [
  { path: '/v1/analysis', name: 'Analyses' },
  { path: '/v1/bundle', name: 'Bundles' },
  { path: '/v1/tenant/user', name: 'Users' },
  { path: '/v1/tenant/audit', name: 'Audit log' },
  { path: '/v1/tenant/webhook', name: 'Webhooks' },
  { path: '/v1/tenant/hold', name: 'Legal holds' },
  { path: '/v1/tenant', name: 'Tenant' },
  { path: '/v1/auth/api', name: 'API keys' },
  { path: '/v1/auth', name: 'Sessions' },
  { path: '/v1/user', name: 'User' },
  { path: '/v1/feedback', name: 'Feedback' },
  { path: '/v1', name: 'Service' },
];

// The page needs its own scripts and requests, and adds styles; nothing comes from other sites.
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

/** `/docs`: a page to read and try out the document. All of it comes from here; it needs no authentication. */
export async function docsRoutes(server: FastifyInstance): Promise<void> {
  server.addHook('onRoute', (route) => {
    route.config = { ...route.config, access: 'everyone' };
  });
  server.addHook('onRequest', async (_request, reply) => {
    void reply.header('content-security-policy', contentSecurityPolicy);
  });
  await server.register(swaggerUi, {
    routePrefix: '/docs',
    theme: { title: 'forensics' },
    logo: { type: 'image/svg+xml', content: '' },
    uiConfig: {
      // Hides the bar for loading documents from other addresses.
      layout: 'BaseLayout',
      docExpansion: 'list',
      defaultModelsExpandDepth: 0,
      displayRequestDuration: true,
      tryItOutEnabled: true,
    },
  });
}

/** What a route declares: who may call it, its text in the OpenAPI document, and its schemas. */
export interface Operation
  extends Pick<FastifySchema, 'body' | 'consumes' | 'headers' | 'querystring'> {
  /** If omitted, callers need a key or a user of the tenant. */
  readonly access?: Access;
  readonly rateLimit?: false;
  readonly bodyLimit?: number;
  readonly summary: string;
  readonly description?: string;
  readonly answer: object;
}

/** @param id - camel case, a verb and a noun. Never changes, because generated clients derive names from it. */
export function operation<const O extends Operation>(id: string, declared: O) {
  const { access, rateLimit, bodyLimit, answer, ...schema } = declared;
  return {
    config: { ...(access && { access }), ...(rateLimit === false && { rateLimit }) },
    ...(bodyLimit === undefined ? {} : { bodyLimit }),
    schema: { operationId: id, response: { 200: answer }, ...schema },
  };
}

export function operations<const T extends Readonly<Record<string, Operation>>>(table: T) {
  const entries = Object.entries(table).map(([id, declared]) => [id, operation(id, declared)]);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- there is an entry for every id.
  return Object.fromEntries(entries) as {
    readonly [Id in keyof T]: ReturnType<typeof operation<T[Id]>>;
  };
}

/** Headers of an operation that takes effect only once when it is sent twice. */
export const repeatable = Type.Object({
  'idempotency-key': Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: maxIdempotencyKeyLength,
      description: 'A request repeated with the same key within a day takes effect only once.',
    }),
  ),
});

const requestId = Type.String({
  format: 'uuid',
  description: "Identifies the request in the server's log; quote it when you ask for help.",
});

const rateLimit = {
  'ratelimit-limit': Type.Integer({ description: 'Requests per minute.' }),
  'ratelimit-remaining': Type.Integer({ description: 'The number of requests left.' }),
  'ratelimit-reset': Type.Integer({
    description: 'Seconds until the full number is available again.',
  }),
};

/** A component of the OpenAPI document, which lists the codes only there. */
export const errorCode = Type.Unsafe<string>({
  $id: 'ErrorCode',
  type: 'string',
  enum: Object.keys(failures),
});

const failure = {
  description: 'A failure.',
  headers: {
    'x-request-id': requestId,
    'x-error-code': Type.String({ description: 'A stable code: see the schema ErrorCode.' }),
    'www-authenticate': Type.String({ description: 'With 401.' }),
    'retry-after': Type.Integer({ description: 'With 429 and 503: seconds to wait.' }),
    ...rateLimit,
  },
  content: { 'application/json': { schema: { $ref: 'Failure#' } } },
};

/** The responses of an operation in the OpenAPI document, with their actual headers. */
function describeResponses(response: unknown, isLimited: boolean): object {
  const answers: Readonly<Record<string, object>> = isObject(response) ? response : {};
  const limits = isLimited ? rateLimit : {};
  const successes = Object.entries(answers).map(([status, answer]) => {
    const own = 'headers' in answer && isObject(answer.headers) ? answer.headers : {};
    const headers = { 'x-request-id': requestId, ...own, ...limits };
    return [status, { description: 'Done.', ...answer, headers }];
  });
  return { ...Object.fromEntries(successes), default: failure };
}

function isObject(value: unknown): value is Readonly<Record<string, object>> {
  return typeof value === 'object' && value !== null;
}
