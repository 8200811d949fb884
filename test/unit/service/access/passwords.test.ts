import { describe, expect, test } from 'vitest';
import { createPasswords } from '../../../../src/service/access/embedded/passwords.ts';
import { refusal } from '../../../fixtures/refusal.ts';

const passwords = createPasswords({ ln: 4 });
const person = { email: 'examiner.bergmann@example.org', name: 'Examiner Bergmann-Lind' };

describe('the hash', () => {
  test('matches only the right password, and is different each time', async () => {
    const [hash, again] = await Promise.all(
      [1, 2].map(() => passwords.hash('plum window harbour')),
    );

    expect(hash).toMatch(/^\$scrypt\$ln=4,r=8,p=1\$[A-Za-z0-9+/]{22}==\$[A-Za-z0-9+/]{43}=$/);
    expect(again).not.toBe(hash);
    expect(await passwords.matching('plum window harbour', [hash!])).toEqual([hash]);
    expect(await passwords.matching('plum window harbouR', [hash!])).toEqual([]);
    expect(await passwords.matching('', [hash!])).toEqual([]);
  });

  test('made like another has the same salt, and each is found by its own password', async () => {
    const first = await passwords.hash('plum window harbour');
    const second = await passwords.hash('walnut ribbon quartz', first);

    expect(second.split('$')[3]).toBe(first.split('$')[3]);
    expect(await passwords.matching('plum window harbour', [first, second])).toEqual([first]);
    expect(await passwords.matching('walnut ribbon quartz', [first, second])).toEqual([second]);
  });

  test('is scrypt as in RFC 7914, with the cost that it names', async () => {
    // Section 12, third vector: N = 16384, r = 8, p = 1; its first 32 bytes.
    const key = '7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2';
    const salt = Buffer.from('SodiumChloride').toString('base64');
    const hash = `$scrypt$ln=14,r=8,p=1$${salt}$${Buffer.from(key, 'hex').toString('base64')}`;

    expect(await passwords.matching('pleaseletmein', [hash])).toEqual([hash]);
  });

  test('treats two ways of typing the same letters as the same password', async () => {
    const hash = await passwords.hash('Ängström ﬁsh harbour');

    expect(await passwords.matching('A\u0308ngstro\u0308m fish harbour', [hash])).toHaveLength(1);
  });

  test('costs 128 MiB by default', async () => {
    const usual = createPasswords();

    const hash = await usual.hash('plum window harbour');

    expect(hash).toContain('$ln=17,r=8,p=1$');
  });

  test('never matches if there is none, and throws if it is damaged', async () => {
    expect(await passwords.matching('', [])).toEqual([]);
    for (const damaged of ['$scrypt$ln=4,r=8,p=1$AAAA$AAAA', 'plain']) {
      await expect(passwords.matching('x', [damaged])).rejects.toThrow(TypeError);
    }
  });
});

describe('assertUsable', () => {
  test.each([
    ['plum window harbour'],
    ['twelve chars'],
    ['ÄÖÜäöüßéèêçñ'],
    ['密码是很长的一句话没有人猜'],
    ['harbour '.repeat(32)],
  ])('accepts %j', (password) => {
    expect(() => passwords.assertUsable(password, person)).not.toThrow();
  });

  test.each([
    ['eleven char'],
    ['harbour '.repeat(32) + '!'],
    ['🦊🐻🐼🐨🐯'],
    ['Password1234'],
    ['PASSWORD-1234'],
    ['1234567890 12'],
    ['Correct Horse Battery Staple'],
    ['aaaaaaaaaaaaaaaa'],
    ['abababababab'],
    ['Examiner.Bergmann@example.org'],
    ['examiner.bergmann'],
    ['examiner bergmann-lind'],
    [''],
  ])('refuses %j', (password) => {
    expect(() => passwords.assertUsable(password, person)).toThrow(refusal('invalid_request'));
  });

  test('refuses the current password as the new one, however it is typed', () => {
    const again = { ...person, currentPassword: 'Ängström ﬁsh harbour' };

    expect(() => passwords.assertUsable('A\u0308ngstro\u0308m fish harbour', again)).toThrow(
      expect.objectContaining({ message: expect.stringMatching(/differs from the one it/) }),
    );
    expect(() => passwords.assertUsable('Angstrom fish harbour', again)).not.toThrow();
  });

  test('does not repeat the password in its message', () => {
    expect(() => passwords.assertUsable('password1234', person)).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining('password1234') }),
    );
  });
});
