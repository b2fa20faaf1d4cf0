import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
  X509Certificate,
} from 'node:crypto';
import { readIfPresent, replacePrivateFile } from '../../platform/files/private-file.ts';
import { keyFingerprint } from '../../platform/net/pinned-key.ts';

/** The key by which other machines recognize this machine, and a certificate for the key (PEM). */
export interface LinkIdentity {
  readonly cert: string;
  readonly key: string;
  /** Result of `keyFingerprint` for the key. */
  readonly fingerprint: string;
}

/** Reads the key of this machine, or creates it. */
export async function openLinkIdentity(file: string): Promise<LinkIdentity> {
  const stored = await readIfPresent(file);
  const privateKey =
    stored === undefined
      ? generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
      : createPrivateKey(stored);
  const key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  if (stored === undefined) await replacePrivateFile(file, key);
  const certificate = new X509Certificate(selfSign(privateKey));
  return { cert: certificate.toString(), key, fingerprint: keyFingerprint(certificate) };
}

/**
 * Creates a self-signed certificate (RFC 5280). Linked machines compare only its key, so all other fields are constant,
 * and it never expires.
 */
function selfSign(privateKey: KeyObject): Buffer {
  const publicKey = createPublicKey(privateKey).export({ type: 'spki', format: 'der' });
  const body = sequence(
    encode(0xa0, encode(0x02, Buffer.from([2]))), // version 3
    encode(0x02, Buffer.from([1])), // serial number
    ecdsaWithSha256,
    commonName,
    sequence(encode(0x17, Buffer.from('250101000000Z')), encode(0x18, Buffer.from(noExpiry))),
    commonName,
    publicKey,
  );
  const signature = encode(0x03, Buffer.from([0]), sign('sha256', body, privateKey));
  return sequence(body, ecdsaWithSha256, signature);
}

const noExpiry = '99991231235959Z';
const ecdsaWithSha256 = sequence(encode(0x06, Buffer.from('2a8648ce3d040302', 'hex')));
const commonName = sequence(
  encode(
    0x31,
    sequence(encode(0x06, Buffer.from('550403', 'hex')), encode(0x0c, Buffer.from('Hearth'))),
  ),
);

function sequence(...parts: readonly Uint8Array[]): Buffer {
  return encode(0x30, ...parts);
}

/** Encodes a value of less than 64 KiB in DER (ITU-T X.690). */
function encode(tag: number, ...content: readonly Uint8Array[]): Buffer {
  const length = content.reduce((sum, part) => sum + part.length, 0);
  // DER requires the shortest form of the length.
  const long = length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  const lengthBytes = length < 128 ? [length] : long;
  return Buffer.concat([Buffer.from([tag, ...lengthBytes]), ...content]);
}
