/** `/v1/user/settings`: what the person who asks chose for himself. */

import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { App } from '../../app/app.ts';
import { settingsAnswer, settingsBody } from '../../contract/auth.ts';
import { succeeded } from '../../contract/common.ts';
import { success } from '../answers.ts';
import { userIdOf } from '../authenticate.ts';
import { operation } from '../openapi-answers.ts';

const path = '/v1/user/settings';
const config = { access: 'userSettings' } as const;

export const userRoutes: FastifyPluginAsyncTypebox<Pick<App, 'userSettings'>> = async (
  server,
  { userSettings },
) => {
  server.get(
    path,
    {
      config,
      schema: {
        ...operation({ id: 'getUserSettings', summary: 'Read the own settings' }),
        response: { 200: settingsAnswer },
      },
    },
    async (request) => success(await userSettings.read(userIdOf(request))),
  );

  server.put(
    path,
    {
      config,
      schema: {
        ...operation({
          id: 'updateUserSettings',
          summary: 'Change the own settings; what is left out stays',
        }),
        body: settingsBody,
        response: { 200: succeeded },
      },
    },
    async (request) => {
      const { lang, tosAccepted } = request.body;
      await userSettings.change(userIdOf(request), {
        ...(lang === undefined ? {} : { lang }),
        ...(tosAccepted === undefined ? {} : { tosAccepted }),
      });
      return success();
    },
  );
};
