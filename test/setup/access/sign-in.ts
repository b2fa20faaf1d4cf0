import { post } from '../server/api.ts';

interface SignedIn {
  readonly id: string;
  readonly token: string;
  /** `name=value`, as browsers send it. */
  readonly cookie: string;
  /** Headers that authenticate as the session. */
  readonly headers: { readonly authorization: string; readonly cookie: string };
}

/** Signs in like a browser, with a token or the code of a link. */
export async function signIn(
  url: string,
  token: string,
  init: { readonly code?: string; readonly headers?: Readonly<Record<string, string>> } = {},
): Promise<SignedIn> {
  const { code, headers = {} } = init;
  const body = code === undefined ? { token } : { code };
  const answer = await post(url, '/api/v1/sessions', body, { headers });
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
  const cookie = cookieOf(answer.headers);
  const { id, token: sessionToken } = answer.body as {
    readonly id: string;
    readonly token: string;
  };
  const authorization = `Bearer ${sessionToken}`;
  return { id, token: sessionToken, cookie, headers: { authorization, cookie } };
}

/** The cookie that a response sets, as browsers send it; empty if there is none. */
export function cookieOf(headers: Headers): string {
  return headers.get('set-cookie')?.split(';')[0] ?? '';
}
