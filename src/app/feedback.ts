/** Feedback with the channels that the settings name, and a worker of its own: a slow mail server keeps no picture waiting. */

import type { Settings } from '../config.ts';
import type { Db } from '../db/open.ts';
import type { Channel } from '../feedback/channel.ts';
import { createFeedback, sendJob } from '../feedback/feedback.ts';
import type { Feedback } from '../feedback/feedback.ts';
import { createMailChannel } from '../feedback/mail.ts';
import { createPostChannel } from '../feedback/post.ts';
import type { Queue } from '../jobs/queue.ts';
import { createWorker } from '../jobs/worker.ts';
import type { Worker } from '../jobs/worker.ts';
import { createSender } from '../outbound/sender.ts';
import type { Sender } from '../outbound/sender.ts';

interface Parts {
  readonly settings: Settings;
  readonly db: Db;
  readonly queue: Queue;
  readonly workerId: string;
  readonly now: () => Date;
  readonly onError: (error: unknown) => void;
}

export interface OpenFeedback extends Pick<Feedback, 'submit'> {
  start(): void;
  stop(): Promise<void>;
}

/** @throws {ForensicsError} `config_invalid`. */
export function openFeedback({ settings, ...parts }: Parts): OpenFeedback {
  // No guard: the address is the administrator's own choice, and may well be inside.
  const sender = createSender({ guard: { isAllowed: () => true } });
  const feedback = createFeedback({ ...parts, channels: channelsOf(settings, sender) });
  const worker: Worker = createWorker({
    ...parts,
    handlers: { [sendJob]: feedback.send },
    concurrency: 2,
  });
  return {
    submit: (from, message) => feedback.submit(from, message),
    start: () => worker.start(),
    async stop() {
      await worker.stop();
      await sender.close();
    },
  };
}

function channelsOf(settings: Settings, sender: Sender): Readonly<Record<string, Channel>> {
  const { feedbackSmtpUrl: smtpUrl, feedbackMailFrom: from, feedbackMailTo: to } = settings;
  const { feedbackWebhookUrl: url } = settings;
  const hasMail = smtpUrl !== null && from !== null && to !== null;
  return {
    ...(hasMail ? { mail: createMailChannel({ smtpUrl, from, to }) } : {}),
    ...(url === null ? {} : { webhook: createPostChannel({ url, sender }) }),
  };
}
