/** `README.txt` of a bundle. Lines of at most 78 characters: it is read in plain editors and on paper. */

import type { Manifest } from './manifest.ts';

type Told = Pick<Manifest, 'product' | 'examinedAt' | 'signedAt' | 'item'> & {
  readonly fingerprint: string;
};

export function readmeEn({ product, examinedAt, signedAt, item, fingerprint }: Told): string {
  return `EVIDENCE BUNDLE

This archive holds the forensic examination of one picture: the result, the
report, the material it rests on, and a signature that shows whether anything
was changed afterwards.

Examined   ${examinedAt}
Signed     ${signedAt} (clock of the signing machine)
Program    ${product}
Picture    SHA-256
           ${item.sha256}
Key        Ed25519, fingerprint (SHA-256)
           ${fingerprint}

WHAT IT HOLDS

${originalEn(item)}
report-en.pdf, report-de.pdf   the report in English and German: begin here
result.json     the whole result, every number, unrounded (RFC 8785)
texts.json      the texts of the report
heatmap-*.png   where methods reacted, drawn over the picture
map-*.png       the same values as 16-bit grey: 0 to 65535 stands for 0 to 1
settings.json   model, its checksums, settings, versions: what a repetition
                needs
model.json      error rates that were measured with this model
custody.json    what happened to the file, as far as it was recorded
trust-list.pem  the trusted signers of content credentials, if there were any
public-key.pem  the public half of the key that signed
SHA256SUMS      a checksum for each file
manifest.json   the signed list of all files
manifest.sig    the signature over manifest.json, 64 bytes

HOW TO CHECK IT

With the program itself, on any machine, without a network:

  forensics verify evidence.zip --fingerprint FINGERPRINT

Without it, in the unpacked folder, with OpenSSL 3 and two common tools:

  1. The signature over the list holds:
     openssl pkeyutl -verify -pubin -inkey public-key.pem -rawin \\
       -in manifest.json -sigfile manifest.sig

  2. The list means these checksums (it prints a line when it does):
     grep -o "$(sha256sum SHA256SUMS | cut -c 1-64)" manifest.json

  3. Every file has its checksum:
     sha256sum --check --strict SHA256SUMS

  4. It is the key that you expect (compare with the fingerprint that you were
     given some other way than with this archive):
     openssl pkey -pubin -in public-key.pem -outform DER | sha256sum

Step 4 matters most. Anybody can make a key, change a result and sign it anew:
the signature shows that nothing was changed since that key signed, and only
the fingerprint shows whose key it is. Files in the folder that SHA256SUMS,
manifest.json and manifest.sig do not account for are not part of the bundle.

HOW TO REPEAT IT

  forensics reproduce evidence.zip${item.file === null ? ' --original PICTURE' : ''}

It examines the picture again with the same model and settings and compares
every field and every pixel.

WHAT IT DOES NOT SHOW

The signature says who signed and that nothing was changed since; not that the
result is right, nor that the clock was. How often the method errs, and what
it cannot see, stands in the report.
`;
}

function originalEn({ file, sizeBytes, sha512, md5 }: Told['item']): string {
  if (file !== null) return `${file.padEnd(15)} the picture that was examined, byte for byte`;
  return `The file of the picture was left out; heatmaps and reports show the
picture all the same. Whoever has the file can compare:
  sha256sum PICTURE    must print the SHA-256 above
  size       ${sizeBytes} bytes
  SHA-512    ${sha512.slice(0, 64)}
             ${sha512.slice(64)}
  MD5        ${md5} (names the file, proves nothing)
`;
}
