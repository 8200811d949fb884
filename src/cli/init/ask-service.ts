/** Where objects are kept, who people are, and the first tenant with its key and its webhook. */

import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { refuseUnlessSlug, refuseUnlessWebUrl } from '../../access/tenants.ts';
import { readDefaultStorage } from '../../app/default-storage.ts';
import { firstTenantName } from '../../app/first-run.ts';
import { askHidden } from '../prompts/ask-hidden.ts';
import { askLine, askYes, choose } from '../prompts/ask.ts';
import { type Chosen, faultBy, faultOf, type FirstAnswers } from './answers.ts';

export async function askStore(): Promise<Chosen> {
  const kind = await choose('Where are pictures and reports kept?', [
    { value: 'embedded', name: 'in the data folder' },
    { value: 'outside', name: 'in an S3 bucket or an Azure container' },
  ]);
  if (kind === 'embedded') return {};
  const file = await askLine({
    message: 'JSON file with its address and credentials (s3 or azure):',
    fault: faultBy((answer) => readDefaultStorage(resolve(answer))),
  });
  return { defaultStorage: resolve(file) };
}

export async function askPeople(): Promise<Chosen> {
  const kind = await choose('How do people log in?', [
    { value: 'accounts', name: 'with accounts of this service, or not at all' },
    { value: 'oidc', name: 'with an identity provider (OpenID Connect)' },
  ]);
  if (kind === 'accounts') return {};
  const oidcIssuer = await askLine({ message: 'Issuer:', fault: faultOf('oidcIssuer') });
  const oidcClientId = await askLine({ message: 'Client id:', fault: faultOf('oidcClientId') });
  const oidcClientSecret = (await askHidden('Client secret (Enter for none): ')).trim();
  return { oidcIssuer, oidcClientId, ...(oidcClientSecret !== '' && { oidcClientSecret }) };
}

export async function askFirst(): Promise<FirstAnswers> {
  const tenantName = await askLine({
    message: 'Name of the first tenant:',
    fallback: firstTenantName,
    fault: faultBy(refuseUnlessSlug),
  });
  const keyFile = await askLine({
    message: 'File for its API key (Enter shows it once):',
    fault: (answer) => (answer !== '' && existsSync(answer) ? 'It exists; name a new file.' : null),
  });
  const webhookUrl = await askLine({
    message: 'URL that is called on status changes (Enter for none):',
    fault: faultBy((answer) => answer === '' || refuseUnlessWebUrl(answer)),
  });
  return {
    tenantName,
    keyFile: keyFile === '' ? null : resolve(keyFile),
    webhookUrl: webhookUrl === '' ? null : webhookUrl,
  };
}

export async function askWebhooks(first: FirstAnswers | null): Promise<Chosen> {
  if (first?.webhookUrl == null) return {};
  const isInside = await askYes('Is that receiver in your own network?', false);
  return isInside ? { webhookAllow: ['external', 'private'] } : {};
}
