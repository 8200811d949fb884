import { issueAuthority, issueLeaf } from '../../../../src/server/certificate.ts';

/** A server's certificate for 127.0.0.1, good for an hour, and the authority that a client has to trust. */
export async function makeCertificate(): Promise<{ cert: string; key: string; ca: string }> {
  const notBefore = new Date(Date.now() - 60_000);
  const validity = { notBefore, notAfter: new Date(notBefore.getTime() + 3_600_000) };
  const authority = await issueAuthority('test authority', validity);
  const leaf = await issueLeaf(authority, ['127.0.0.1'], validity);
  return {
    cert: leaf.certificate.toString(),
    key: leaf.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    ca: authority.certificate.toString(),
  };
}
