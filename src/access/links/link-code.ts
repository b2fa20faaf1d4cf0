import { randomBytes } from 'node:crypto';

/**
 * A code that a person types. It consists of the first bits of the machine's key hash, which identify the machine, and
 * a secret.
 */
export interface LinkCode {
  /** The first 75 bits of the hash. */
  readonly keyPart: string;
  /** 75 random bits. */
  readonly secret: string;
}

/** Crockford's alphabet, without letters that look like digits or other letters. */
const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const partLength = 15;
const groupLength = 5;
const codePattern = new RegExp(`^[${alphabet}]{${2 * partLength}}$`, 'u');

/** Creates a code for the machine with this key (`keyFingerprint`). */
export function newLinkCode(fingerprint: string): LinkCode {
  return { keyPart: keyPartOf(fingerprint), secret: encode(randomBytes(10)) };
}

/** Formats a code as six groups of five characters. */
export function formatLinkCode({ keyPart, secret }: LinkCode): string {
  return (keyPart + secret).match(new RegExp(`.{${groupLength}}`, 'gu'))?.join('-') ?? '';
}

/** Parses a code, ignoring case, spaces and hyphens. Undefined if the text is not a code. */
export function parseLinkCode(text: string): LinkCode | undefined {
  const plain = text
    .toUpperCase()
    .replaceAll(/[\s-]/gu, '')
    .replaceAll('O', '0')
    .replaceAll(/[IL]/gu, '1');
  if (!codePattern.test(plain)) return undefined;
  return { keyPart: plain.slice(0, partLength), secret: plain.slice(partLength) };
}

/** True if the machine with this key created the code. */
export function isCodeOf({ keyPart }: LinkCode, fingerprint: string): boolean {
  return keyPartOf(fingerprint) === keyPart;
}

function keyPartOf(fingerprint: string): string {
  return encode(Buffer.from(fingerprint.replace('SHA256:', ''), 'base64'));
}

/** Encodes the first 75 bits, five per character. */
function encode(bytes: Uint8Array): string {
  const bits = [...bytes.subarray(0, 10)].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return Array.from({ length: partLength }, (_, index) => {
    const group = bits.slice(index * groupLength, (index + 1) * groupLength);
    return alphabet[Number.parseInt(group, 2)];
  }).join('');
}
