import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { emptyFolder, refused, runCli } from './run-cli.ts';

async function configFile(values: object): Promise<string> {
  const file = join(await emptyFolder(), 'config.json');
  await writeFile(file, JSON.stringify(values));
  return file;
}

test('config show prints value and origin of every setting', async () => {
  const file = await configFile({ workers: 3, webhookAllow: ['external', '10.1.0.0/16'] });

  const { code, stdout, stderr } = await runCli(
    ['config', 'show', '--port', '9000', '--config', file],
    { env: { FORENSICS_LOG_LEVEL: 'debug' } },
  );

  expect({ code, stderr }).toEqual({ code: 0, stderr: `The config file is ${file}\n` });
  expect(stdout).toMatch(/^setting +value +origin\n/);
  expect(stdout).toMatch(/^port +9000 +flag --port$/m);
  expect(stdout).toMatch(/^logLevel +debug +environment FORENSICS_LOG_LEVEL$/m);
  expect(stdout).toMatch(/^workers +3 +file workers$/m);
  expect(stdout).toMatch(/^webhookAllow +external, 10\.1\.0\.0\/16 +file webhookAllow$/m);
  expect(stdout).toMatch(/^tlsCert +- +default$/m);
});

test('no secret is printed, whatever its origin', async () => {
  const secrets = ['a1'.repeat(32), 'client-secret-7', 'https://team.example/path-password'];
  const file = await configFile({ oidcClientSecret: secrets[1] });
  const env = {
    FORENSICS_CONFIG: file,
    FORENSICS_MASTER_KEY: secrets[0]!,
    FORENSICS_FEEDBACK_WEBHOOK_URL: secrets[2]!,
    FORENSICS_OIDC_ISSUER: 'https://id.example',
    FORENSICS_OIDC_CLIENT_ID: 'lab',
  };

  const table = await runCli(['config', 'show'], { env });
  const json = await runCli(['config', 'show', '--json'], { env });

  expect(JSON.parse(json.stdout)).toMatchObject({
    configFile: file,
    settings: {
      masterKey: { value: '***', origin: 'environment', givenAs: 'FORENSICS_MASTER_KEY' },
      oidcClientSecret: { value: '***', origin: 'file', givenAs: 'oidcClientSecret' },
      feedbackWebhookUrl: { value: '***' },
      port: { value: 8443, origin: 'default', givenAs: null },
      corsAllowedOrigins: { value: [] },
    },
  });
  for (const secret of secrets) expect(JSON.stringify([table, json])).not.toContain(secret);
});

test('a bad setting ends config show with one line', async () => {
  const ran = await runCli(['config', 'show'], { env: { FORENSICS_CONFIG: '/no/such/file' } });

  expect(ran).toEqual(refused(2, /^forensics: The config file does not exist\.\n$/));
});
