import { createHash, randomBytes } from 'node:crypto';

/** `hearth-<id>-<secret>`: the id finds the record, the secret proves the right to use it. */
interface TokenParts {
  /** 10 lower-case hex digits; not secret. */
  readonly id: string;
  /** 48 lower-case hex digits: 192 random bits. */
  readonly secret: string;
}

const tokenPattern = /^hearth-(?<id>[0-9a-f]{10})-(?<secret>[0-9a-f]{48})$/;

/** A new token, as hard to guess as its secret is long. */
export function generateToken(): TokenParts {
  return { id: randomBytes(5).toString('hex'), secret: randomBytes(24).toString('hex') };
}

/** The text that a client sends. */
export function formatToken({ id, secret }: TokenParts): string {
  return `hearth-${id}-${secret}`;
}

/** Undefined where the text doesn't have the form of a token. */
export function parseToken(text: string): TokenParts | undefined {
  const { id, secret } = tokenPattern.exec(text)?.groups ?? {};
  return id === undefined || secret === undefined ? undefined : { id, secret };
}

/** A token as messages and logs may show it, such as `hearth-ab12…`; of a foreign secret nothing is shown. */
export function maskToken(text: string): string {
  const parts = parseToken(text);
  return parts === undefined ? '…' : `hearth-${parts.id.slice(0, 4)}…`;
}

/** SHA-256, which is enough at rest: a secret of 192 random bits can't be guessed from its hash. */
export function hashSecret(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}
