import { serialize } from 'hono/utils/cookie';
import { cookieName, cookieSeconds } from '../../../access/session-service.ts';

interface CookieOptions {
  /** Of all addresses of the server, such as `/hearth/`. */
  readonly path: string;
  readonly isSecure?: boolean;
}

/** The value of `Set-Cookie` for the secret of a session; without one, it removes the cookie. */
export function sessionCookie(
  id: string,
  secret: string | undefined,
  { path, isSecure = false }: CookieOptions,
): string {
  return serialize(cookieName(id), secret ?? '', {
    path,
    httpOnly: true,
    sameSite: 'Strict',
    secure: isSecure,
    maxAge: secret === undefined ? 0 : cookieSeconds,
  });
}

export function withCookie(result: object, cookie: string | undefined): Response {
  const response = Response.json(result);
  if (cookie !== undefined) response.headers.set('set-cookie', cookie);
  return response;
}
