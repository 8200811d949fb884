/** Feedback with the channels that the settings name, and a worker of its own: a slow mail server keeps no picture waiting. */

import type { Settings } from '../config/config.ts';
import type { Db } from '../db/open.ts';
import { type Channel, createMailChannel, createPostChannel } from '../feedback/channels.ts';
import { createFeedback, type Feedback, sendJob } from '../feedback/feedback.ts';
import type { Queue } from '../jobs/queue.ts';
import { createWorker, type Worker } from '../jobs/worker.ts';
import { createSender, type Sender } from '../network/post.ts';

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
