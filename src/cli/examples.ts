/**
 * Two examples for each command below another: those that need no more words than that. What needs more says it where the
 * command is made.
 */

import type { Command } from 'commander';

const id = '65f000000000000000000001';
const backup = 'forensics-backup-20261121T213005Z.tar';
const uuid = '0b8f3a52-6c1e-4b57-9a55-2f4d0e9c7a10';

type Pair = readonly [string, string];

const examples: Readonly<Record<string, Readonly<Record<string, Pair>>>> = {
  validate: {
    list: ['list', 'list --json'],
    show: [`show ${id}`, `show ${id} --json`],
    delete: [`delete ${id}`, `delete ${id} --data-dir ./data`],
  },
  models: {
    list: ['list', 'list --json'],
    verify: ['verify', 'verify trace-1 --json'],
  },
  hold: {
    add: [
      `add --tenant acme --analysis ${id} --reason "file 12/26"`,
      'add --tenant acme --reason "all of it: file 12/26"',
    ],
    remove: [`remove --tenant acme --analysis ${id}`, 'remove --tenant acme'],
    list: ['list --tenant acme', 'list --tenant acme --json'],
  },
  audit: {
    verify: ['verify', 'verify --tenant acme --json'],
    head: ['head', 'head --tenant acme'],
    list: ['list --tenant acme --since 2026-01-01', 'list --service --json'],
    export: ['export --tenant acme > acme.jsonl', 'export --service > service.jsonl'],
    files: [`files --tenant acme --analysis ${id}`, `files --tenant acme --analysis ${id} --json`],
  },
  'signing-key': {
    show: ['show', 'show --json'],
    export: ['export > signing-key.pem', 'export --json'],
    rotate: ['rotate', 'rotate --json'],
  },
  feedback: {
    list: ['list', 'list --limit 10 --json'],
    show: [`show ${id}`, `show ${id} --json`],
  },
  tenant: {
    create: ['create acme', 'create visitors --trial'],
    list: ['list', 'list --deleted --json'],
    show: ['show acme', 'show acme --url https://forensics.example:8443'],
    update: [
      'update acme --webhook-url https://hooks.example/forensics',
      'update acme --storage-config store.json',
    ],
    trial: ['trial visitors --on', 'trial visitors --off'],
    'webhook-secret': ['webhook-secret acme', 'webhook-secret acme > hook.secret'],
  },
  keys: {
    create: [
      'create --tenant acme --name ci --expires-in 90d',
      'create --tenant acme --name ci --out ci.key',
    ],
    list: ['list --tenant acme', 'list --tenant acme --expiring-within 14d'],
    revoke: [`revoke --tenant acme ${uuid}`, `revoke --tenant acme ${uuid} --yes`],
  },
  user: {
    create: [
      'create examiner@example.org --tenant acme --generate',
      'create examiner@example.org --tenant acme --password-file first.txt',
    ],
    list: ['list', 'list --json'],
    show: ['show examiner@example.org', 'show examiner@example.org --json'],
    update: [
      'update examiner@example.org --add-tenant acme',
      'update examiner@example.org --name "A. Examiner"',
    ],
    settings: ['settings examiner@example.org --lang de', 'settings --profile acme --json'],
    passwd: ['passwd examiner@example.org --generate', 'passwd --profile acme'],
    disable: ['disable examiner@example.org', 'disable examiner@example.org --yes'],
    enable: ['enable examiner@example.org', 'enable examiner@example.org --json'],
  },
  'master-key': {
    rotate: ['rotate', 'rotate --now'],
  },
  backup: {
    create: ['create', 'create --out /mnt/backups --json'],
    verify: [`verify ${backup}`, `verify ${backup} --json`],
  },
};

/** To be called when the commands below `command` are there. */
export function addExamples(command: Command): void {
  for (const [below, pair] of Object.entries(examples[command.name()] ?? {})) {
    const lines = pair.map((words) => `  $ forensics ${command.name()} ${words}`);
    commandBelow(command, below).addHelpText('after', ['', 'Examples:', ...lines].join('\n'));
  }
}

function commandBelow(command: Command, name: string): Command {
  const found = command.commands.find((each) => each.name() === name);
  if (found === undefined) throw new TypeError(`there is no command ${name} to give examples of`);
  return found;
}
