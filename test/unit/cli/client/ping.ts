import { Type } from 'typebox';
import { type ApiRequest, openApi } from '../../../../src/cli/client/api.ts';
import type { Pace } from '../../../../src/waiting.ts';

const pong = Type.Object({
  success: Type.Literal(true),
  data: Type.Object({ message: Type.String() }),
});

/** Sends one request over its own connection. Returns the message, or throws what the client throws. */
export async function ping(
  url: string,
  ca: string | null,
  request: Partial<ApiRequest> = {},
  pace?: Pace,
) {
  const api = openApi({ url, ca, userAgent: 'forensics/0.0.0', ...(pace && { pace }) });
  try {
    const full = { method: 'GET', path: '/v1/ping', ...request } as const;
    return (await api.request(full, pong)).data.message;
  } finally {
    await api.close();
  }
}
