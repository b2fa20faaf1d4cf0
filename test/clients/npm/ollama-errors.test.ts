import { Ollama } from 'ollama';
import { describe, expect, it } from 'vitest';
import { ollamaErrorCases } from '../../api/ollama-error-cases.ts';
import { useHearth } from '../../setup/server/use-hearth.ts';
import { withTokens } from '../../setup/server/with-tokens.ts';

/** The bad requests of the API, as the client of npm reports them. */

type Endpoint = 'chat' | 'copy' | 'embed' | 'generate' | 'pull' | 'show';

function call(
  host: string,
  endpoint: Endpoint,
  body: object,
  headers: Record<string, string> = {},
): Promise<unknown> {
  // The client's types exclude these bad requests.
  const client: Pick<Record<Endpoint, (body: never) => Promise<unknown>>, Endpoint> = new Ollama({
    host,
    headers,
  });
  return client[endpoint](body as never);
}

/** Name, status and text of the error of a request, before or within its stream. */
async function failureOf(answer: Promise<unknown>): Promise<object> {
  try {
    const value = await answer;
    for await (const _ of value as AsyncIterable<unknown>);
  } catch (error) {
    return error as object;
  }
  throw new Error('The request did not fail.');
}

const hearth = useHearth();
/** False if the client lacks the endpoint or rejects the request itself. */
const isSent = ([name, endpoint]: (typeof ollamaErrorCases)[number]): boolean =>
  endpoint !== 'create' && name !== 'messages of a wrong type';

describe('ollama of npm throws a ResponseError for', () => {
  it.each(ollamaErrorCases.filter(isSent))('%s', async (_, endpoint, body, status, message) => {
    const expected = {
      name: 'ResponseError',
      status_code: status,
      error: expect.stringMatching(message),
    };
    const name = endpoint as Endpoint;
    expect(await failureOf(call(hearth.url, name, body))).toMatchObject(expected);
    expect(await failureOf(call(hearth.url, name, { ...body, stream: true }))).toMatchObject(
      expected,
    );
  });
});

describe('ollama of npm on a server with tokens', () => {
  const guarded = useHearth({ flags: ['--auth-required'] });
  const chat = (headers?: Record<string, string>) =>
    failureOf(
      call(
        guarded.url,
        'chat',
        { model: 'starter-chat', messages: [{ role: 'user', content: 'Hello!' }] },
        headers,
      ),
    );

  it('throws a ResponseError without a token, and for one without the permission', async () => {
    expect(await chat()).toMatchObject({ name: 'ResponseError', status_code: 401 });
    const { token } = await withTokens(guarded.home, (tokens) =>
      tokens.create({ name: 'reader', permissions: ['models:read'] }),
    );
    expect(await chat({ authorization: `Bearer ${token}` })).toMatchObject({
      name: 'ResponseError',
      status_code: 403,
      error: expect.stringContaining('chat'),
    });
  });
});
