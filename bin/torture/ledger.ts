/** The answers that clients got about each analysis, and what may therefore be found later. */

import type { Analysis } from '../../src/contract/analysis.ts';
import type { Call } from '../../test/journeys/receiver.ts';
import { only } from '../../test/journeys/serving.ts';
import type { Answer } from '../../test/unit/server/open-server.ts';
import { demand, pick } from './proof.ts';

export type Tier = 'flagging' | 'forensicReporting';

interface Told {
  /** `unsure`: requested, but no answer came. */
  started: 'no' | 'unsure' | 'yes';
  removed: 'no' | 'unsure' | 'yes';
  upgraded: 'no' | 'unsure' | 'yes';
  wasCompleted: boolean;
}

interface Reading {
  get(id: string): Promise<Answer>;
  download(url: string): Promise<Buffer>;
}

export type Ledger = ReturnType<typeof createLedger>;

/**
 * @param isKill - whether an answer is about a child process that this test killed, not one that
 * died by itself.
 * @param refusals - statuses above 499 for a problem outside the server.
 */
export function createLedger({
  isKill = async () => false,
  refusals = [503],
}: {
  readonly isKill?: (answer: Answer) => Promise<boolean>;
  readonly refusals?: readonly number[];
}) {
  const analyses = new Map<string, Told>();
  let unsureCreations = 0;
  let upgradesCutOff = 0;

  const told = (id: string): Told => {
    const one = analyses.get(id);
    demand(one !== undefined, `${id} was never created.`);
    return one;
  };

  /**
   * Sets the member to `unsure` until the answer arrives, and to `yes` once it is 200.
   *
   * @returns whether it is.
   */
  async function act(
    id: string,
    member: 'started' | 'removed' | 'upgraded',
    ask: () => Promise<Answer>,
  ): Promise<boolean> {
    const one = told(id);
    if (one[member] === 'no') one[member] = 'unsure';
    const answer = await ask().catch((error: unknown) => {
      if (member === 'upgraded') upgradesCutOff += 1;
      throw error;
    });
    const { status, body } = answer;
    const isTrouble = status >= 500 && !refusals.includes(status);
    // An upgrade is rendered while its client waits, and once more if its child process was killed.
    // If that one is killed too, the client gets an error.
    const isCutOff = isTrouble && member === 'upgraded' && (await isKill(answer));
    if (isCutOff) upgradesCutOff += 1;
    demand(!isTrouble || isCutOff, `${member} was answered ${status}: ${body.toString()}`);
    demand(status !== 404 || one.removed !== 'no', `${id} is lost: ${member} was answered 404.`);
    if (status === 200) one[member] = 'yes';
    return status === 200;
  }

  return {
    /** Any known analysis; null before the first. */
    one: (random: () => number): string | null =>
      analyses.size === 0 ? null : pick(random, [...analyses.keys()].slice(-40)),
    async create(ask: () => Promise<Analysis>): Promise<Analysis> {
      unsureCreations += 1;
      const made = await ask();
      unsureCreations -= 1;
      demand(!analyses.has(made.id), `The id ${made.id} was assigned twice.`);
      analyses.set(made.id, {
        started: 'no',
        removed: 'no',
        upgraded: 'no',
        wasCompleted: false,
      });
      return made;
    },
    start: async (id: string, ask: () => Promise<Answer>) => act(id, 'started', ask),
    upgrade: async (id: string, ask: () => Promise<Answer>) => act(id, 'upgraded', ask),
    remove: async (id: string, ask: () => Promise<Answer>) => act(id, 'removed', ask),
    look(id: string, answer: Answer): void {
      const one = told(id);
      if (answer.status === 404) return demand(one.removed !== 'no', `${id} is lost.`);
      if (answer.status !== 200) return;
      const { status } = only(answer).inferenceStatus;
      const isBack = one.wasCompleted && status !== 'completed';
      demand(!isBack, `${id} was completed and is ${status} now.`);
      one.wasCompleted ||= status === 'completed';
    },
    started: (): readonly string[] =>
      [...analyses].flatMap(([id, { started }]) => (started === 'yes' ? [id] : [])),
    /** A few that were started and not yet upgraded. */
    upgradable: (): readonly string[] =>
      [...analyses]
        .flatMap(([id, { started, upgraded, removed }]) =>
          started === 'yes' && upgraded === 'no' && removed === 'no' ? [id] : [],
        )
        .slice(-5),
    figures: (): readonly (readonly [string, number])[] => {
      const all = [...analyses.values()];
      return [
        ['analyses acknowledged', all.length],
        ['starts acknowledged', all.filter(({ started }) => started === 'yes').length],
        ['upgrades acknowledged', all.filter(({ upgraded }) => upgraded === 'yes').length],
        ['upgrades cut off by a kill', upgradesCutOff],
        ['deletions acknowledged', all.filter(({ removed }) => removed === 'yes').length],
      ];
    },

    /** Nothing that was acknowledged may be lost or undone. */
    async judgeFromOutside(client: Reading, picture: Buffer): Promise<void> {
      for (const [id, { started, removed, upgraded }] of analyses) {
        const answer = await client.get(id);
        if (answer.status === 404) {
          demand(removed !== 'no', `${id} is lost.`);
          continue;
        }
        demand(removed !== 'yes', `${id} was deleted and is back.`);
        const { inferenceStatus, input } = only(answer);
        const { status } = inferenceStatus;
        demand(started !== 'yes' || status === 'completed', `${id} was started and is ${status}.`);
        if (started === 'yes') {
          const kept = await client.download(input.storageUrls.getUrl);
          demand(kept.equals(picture), `${id} has a different picture.`);
        }
        const { tier } = input.options;
        const isUpgraded = upgraded !== 'yes' || tier === 'forensicReporting';
        demand(isUpgraded, `${id} was upgraded and has the tier ${tier}.`);
      }
    },

    /**
     * For each analysis: in the order in which they were made, with none missing; only the same
     * message may be repeated.
     */
    judgeMessages(calls: readonly Call[]): void {
      const firsts = new Map<string, Call>();
      for (const call of calls) {
        const id = String(call.headers['webhook-id']);
        if (!firsts.has(id)) firsts.set(id, call);
        demand(firsts.get(id)?.body === call.body, `The message ${id} came in two versions.`);
      }
      const all = [...firsts.values()];
      for (const [id, { started, removed }] of analyses) {
        const own = all.filter(({ payload }) => payload['analysisId'] === id);
        const seen = own.map(({ headers, payload }) =>
          headers['webhook-event'] === 'delete' ? 'delete' : String(payload['status']),
        );
        if (removed === 'yes') {
          demand(
            seen.at(-1) === 'delete',
            `The last message of ${id} is not its deletion: ${seen.join(', ')}`,
          );
        } else if (started === 'yes' && removed === 'no') {
          demand(
            seen.includes('completed'),
            `No message says that ${id} is complete: ${seen.join(', ')}`,
          );
        }
        const firstEnd = seen.findIndex((one) => one === 'completed');
        const isEarly = firstEnd !== -1 && !seen.slice(0, firstEnd).includes('processing');
        demand(!isEarly, `${id} was complete before it was in processing: ${seen.join(', ')}`);
        const ends = seen.filter((one) => one === 'completed').length;
        demand(ends <= 2, `${id} was completed ${ends} times: ${seen.join(', ')}`);
      }
    },

    /**
     * In the database, once nothing uses it: nothing may be duplicated, billed twice or left over.
     *
     * @param number - the single value that a statement returns.
     * @returns entries of the log.
     */
    async judgeRows(number: (sql: string) => Promise<number>): Promise<number> {
      const rows = await number('SELECT count(*) FROM analyses');
      const most = analyses.size + unsureCreations;
      demand(
        rows >= analyses.size && rows <= most,
        `${rows} analyses, although at most ${most} were created.`,
      );
      const first = 'coalesce(tier_upgraded_from, tier)';
      for (const tier of ['flagging', 'forensicReporting']) {
        const billed = await number(
          `SELECT coalesce(sum(amount), 0) FROM usage_counters WHERE counter = 'billed.${tier}'`,
        );
        const done = await number(
          `SELECT count(*) FROM analyses WHERE status = 'completed' AND (${first} = '${tier}' OR tier = '${tier}')`,
        );
        demand(billed === done, `${tier}: ${billed} billed, ${done} completed.`);
      }
      const idle = await number("SELECT count(*) FROM jobs WHERE kind = 'analysis.run'");
      const queued = await number(
        "SELECT count(*) FROM analyses WHERE deleted_at IS NULL AND status IN ('pending', 'processing') AND queued_at IS NOT NULL",
      );
      demand(queued === 0, `${queued} analyses are stuck.`);
      demand(idle === 0, `${idle} jobs are left over.`);
      return number('SELECT count(*) FROM audit_entries');
    },
  };
}
