import { post } from '../server/api.ts';

interface Reply {
  readonly id: string;
  readonly text: string;
  readonly promptTokens: number;
  /** Number of prompt tokens that the engine did not have to read again. */
  readonly cachedTokens: number;
}

/** Sends a turn through `/v1/responses`, which reports cached tokens. */
export async function respond(
  url: string,
  input: string,
  more: Readonly<Record<string, unknown>> = {},
  headers: Readonly<Record<string, string>> = {},
): Promise<Reply> {
  const { status, body } = await post(
    url,
    '/v1/responses',
    {
      model: 'hearth/starter-chat',
      input,
      temperature: 0,
      max_output_tokens: 48,
      reasoning: { effort: 'none' },
      ...more,
    },
    { headers },
  );
  if (status !== 200) throw new Error(`${status}: ${JSON.stringify(body)}`);
  const message = body.output.find(({ type }: { type: string }) => type === 'message');
  return {
    id: body.id,
    text: message?.content[0]?.text ?? '',
    promptTokens: body.usage.input_tokens,
    cachedTokens: body.usage.input_tokens_details.cached_tokens,
  };
}

/** A chat without stored state, with the two best log probabilities of each token. */
export async function complete(
  url: string,
  messages: readonly { readonly role: string; readonly content: string }[],
): Promise<{ readonly text: string; readonly isClose: (text: string) => boolean }> {
  const { status, body } = await post(url, '/v1/chat/completions', {
    model: 'hearth/starter-chat',
    messages,
    temperature: 0,
    max_tokens: 48,
    reasoning_effort: 'none',
    logprobs: true,
    top_logprobs: 2,
  });
  if (status !== 200) throw new Error(`${status}: ${JSON.stringify(body)}`);
  const [choice] = body.choices;
  const tokens: readonly { token: string; top_logprobs: readonly { logprob: number }[] }[] =
    choice.logprobs?.content ?? [];
  return {
    text: choice.message.content ?? '',
    /** True if another answer first differs at a position where two tokens were almost equally probable. */
    isClose: (text) => {
      let shared = '';
      const different = tokens.find(({ token }) => {
        shared += token;
        return !text.startsWith(shared);
      });
      const [best, second] = different?.top_logprobs ?? [];
      return best !== undefined && second !== undefined && best.logprob - second.logprob < 0.1;
    },
  };
}
