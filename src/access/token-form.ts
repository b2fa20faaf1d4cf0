import { createHash, randomBytes } from 'node:crypto';

/** `hearth-<id>-<secret>`: the id identifies the record, the secret authenticates the client. */
interface TokenParts {
  /** 10 lower-case hex digits; not secret. */
  readonly id: string;
  /** 48 lower-case hex digits: 192 random bits. */
  readonly secret: string;
}

const tokenPattern = /^hearth-(?<id>[0-9a-f]{10})-(?<secret>[0-9a-f]{48})$/;

/** Generates a random token. */
export function generateToken(): TokenParts {
  return { id: randomBytes(5).toString('hex'), secret: randomBytes(24).toString('hex') };
}

/** Formats a token as clients send it. */
export function formatToken({ id, secret }: TokenParts): string {
  return `hearth-${id}-${secret}`;
}

/** Undefined if the text is not a well-formed token. */
export function parseToken(text: string): TokenParts | undefined {
  const { id, secret } = tokenPattern.exec(text)?.groups ?? {};
  return id === undefined || secret === undefined ? undefined : { id, secret };
}

/** Shortens a token for messages and logs, such as `hearth-ab12…`. Returns nothing of a malformed token. */
export function maskToken(text: string): string {
  const parts = parseToken(text);
  return parts === undefined ? '…' : `hearth-${parts.id.slice(0, 4)}…`;
}

/** SHA-256, without a salt: a secret of 192 random bits can't be guessed from its hash. */
export function hashSecret(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}
