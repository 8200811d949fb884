/** `/v1/user/settings`, and `/v1/feedback`, which accepts a message to be sent later. */

import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyRequest } from 'fastify';
import type { Static } from 'typebox';
import type { Administration } from '../../service/app.ts';
import type { Core } from '../../service/core.ts';
import { settingsAnswer, settingsBody } from '../../contract/auth.ts';
import { succeeded } from '../../contract/common.ts';
import { defaultSource, feedbackBody } from '../../contract/feedback.ts';
import { ForensicsError } from '../../errors.ts';
import { success } from '../answers.ts';
import { requireCaller, requireUserId } from '../authenticate.ts';
import { longBodyLimitBytes } from '../bodies.ts';
import { operation } from '../openapi-answers.ts';

const path = '/v1/user/settings';

export const userRoutes: FastifyPluginAsyncTypebox<Pick<Core, 'userSettings'>> = async (
  server,
  { userSettings },
) => {
  server.get(path, getUserSettings, async (request) =>
    success(await userSettings.read(requireUserId(request))),
  );

  server.put(path, updateUserSettings, async (request) => {
    const { lang, tosAccepted } = request.body;
    await userSettings.change(requireUserId(request), {
      ...(lang === undefined ? {} : { lang }),
      ...(tosAccepted === undefined ? {} : { tosAccepted }),
    });
    return success();
  });
};

export const feedbackRoutes: FastifyPluginAsyncTypebox<Pick<Administration, 'feedback'>> = async (
  server,
  { feedback },
) => {
  server.post(
    '/v1/feedback',
    { ...sendFeedback, preParsing: async (request) => assertJsonBody(request) },
    async (request) => {
      const sender = { userId: requireUserId(request), tenantId: requireCaller(request).tenant.id };
      await feedback.submit(sender, known(request.body));
      return success();
    },
  );
};

// The contract counts a wrong content type among the invalid requests of this one operation.
function assertJsonBody({ headers }: FastifyRequest): void {
  if (/^application\/json\s*(;|$)/i.test(headers['content-type'] ?? '')) return;
  const message = 'The body must be JSON: send Content-Type: application/json.';
  throw new ForensicsError('invalid_request', message);
}

/** What the contract knows of a message; whatever else was sent goes no further. */
function known(body: Static<typeof feedbackBody>) {
  const { url, name, email, message, source = defaultSource } = body;
  const { replaySessionId, sourceAttributes } = body;
  return {
    url,
    name,
    email,
    message,
    source,
    ...(replaySessionId === undefined ? {} : { replaySessionId }),
    ...(sourceAttributes === undefined ? {} : { sourceAttributes }),
  };
}

const getUserSettings = operation(
  { id: 'getUserSettings', access: 'userSettings', summary: 'Read the own settings' },
  { response: { 200: settingsAnswer } },
);

const updateUserSettings = operation(
  {
    id: 'updateUserSettings',
    access: 'userSettings',
    summary: 'Change the own settings; what is left out stays',
  },
  { body: settingsBody, response: { 200: succeeded } },
);

const sendFeedback = operation(
  {
    id: 'sendFeedback',
    access: 'tenantUser',
    bodyLimit: longBodyLimitBytes,
    summary: 'Send a message to the team behind the service',
    description: 'It is kept at once and sent on later; another Content-Type than JSON is 400.',
  },
  { body: feedbackBody, response: { 200: succeeded } },
);
