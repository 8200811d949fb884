import { expect, test } from 'vitest';
import { fetchCommand } from '../../../../src/cli/analyze/remote/resume.ts';

test('the command that fetches an analysis names what the run was given, ready for a shell', () => {
  const command = fetchCommand('65f1', {
    tenant: "o'hara",
    url: 'https://forensics.example:8443',
    ca: 'my ca.pem',
  });

  expect(command).toBe(
    "forensics report 65f1 --tenant 'o'\\''hara' --url https://forensics.example:8443 --ca 'my ca.pem' --out 65f1",
  );
});
