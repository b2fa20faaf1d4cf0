import { createParser } from 'eventsource-parser';
import sharp from 'sharp';
import { answerTo, promptOf } from '../../setup/engine/recalling-upstream.ts';
import type { ApiAnswer } from '../../setup/server/api.ts';
import { ask, errorOf, jsonRequest, type World } from './world.ts';

/** An acknowledged turn, with all earlier turns. */
export interface Turn {
  readonly id: string;
  readonly marks: readonly string[];
  readonly images: number;
}

type Output = readonly {
  readonly type: string;
  readonly content?: string | readonly { readonly text?: string }[];
}[];

/** The text of an answer's message, in v1's or OpenAI's format. */
export function textOf(output: Output): string | undefined {
  const content = output.findLast(({ type }) => type === 'message')?.content;
  return typeof content === 'object' ? content[0]?.text : content;
}

/**
 * Sends one chat: whole or streamed, with v1 or OpenAI's responses, sometimes with an image.
 *
 * @param earlier Turns of the client, any of which it may continue.
 * @returns undefined if the request failed.
 */
export async function chatOnce(
  world: World,
  random: () => number,
  earlier: readonly Turn[],
): Promise<Turn | undefined> {
  const previous = random() < 0.75 ? earlier[Math.floor(random() * earlier.length)] : undefined;
  const mark = world.nextMark();
  const marks = [...(previous?.marks ?? []), mark];
  const continued = previous === undefined ? {} : { previous_response_id: previous.id };
  const base = { model: world.model, ...continued };
  const kind = random();
  if (kind < 0.25) {
    const answer = await ask(
      world,
      'responses',
      '/v1/responses',
      jsonRequest({ ...base, input: promptOf(mark) }),
    );
    return acknowledge(world, answer?.id, answer?.output, marks, previous?.images ?? 0);
  }
  const withImage = random() < 0.15;
  const text = { type: 'text', content: promptOf(mark) };
  const input = withImage ? [text, { type: 'image', data_url: await randomImage(random) }] : [text];
  const images = (previous?.images ?? 0) + (withImage ? 1 : 0);
  const body = { ...base, input };
  const name = withImage ? 'chat with an image' : 'chat';
  const answer =
    kind < 0.6
      ? await ask(world, name, '/api/v1/chat', jsonRequest(body))
      : await streamChat(world, `${name}, streamed`, body);
  return acknowledge(world, answer?.response_id, answer?.output, marks, images);
}

/** Sends a chat with a token whose rate limit is shared with other clients. */
export async function chatWithLimit(world: World, token: string): Promise<void> {
  const mark = world.nextMark();
  const body = { model: world.model, input: promptOf(mark) };
  const answer = await ask(world, 'limited chat', '/api/v1/chat', jsonRequest(body, token));
  acknowledge(world, answer?.response_id, answer?.output, [mark], 0);
}

function acknowledge(
  { responses, observations }: World,
  id: string | undefined,
  output: Output,
  marks: readonly string[],
  images: number,
): Turn | undefined {
  if (id === undefined) return undefined;
  const expected = answerTo(marks, images);
  const text = textOf(output);
  if (text !== expected) observations.violations.push(`${id} says ${text}, not ${expected}`);
  responses.set(id, expected);
  return { id, marks, images };
}

/** Streams a chat. `chat.end` acknowledges the turn, even if the connection breaks afterwards. */
async function streamChat(
  { url, observations }: World,
  kind: string,
  body: object,
): Promise<ApiAnswer['body']> {
  const started = performance.now();
  let status = 0;
  let text = '';
  try {
    const response = await fetch(`${url}/api/v1/chat`, jsonRequest({ ...body, stream: true }));
    status = response.status;
    const decoder = new TextDecoder();
    for await (const piece of response.body ?? []) text += decoder.decode(piece, { stream: true });
  } catch {
    if (status === 0) {
      observations.fail(kind, 'disconnected');
      return undefined;
    }
  }
  if (status !== 200) {
    observations.fail(kind, errorOf({ status, body: readJson(text) }));
    return undefined;
  }
  let failure = 'cut';
  let result: ApiAnswer['body'];
  createParser({
    onEvent: ({ data }) => {
      const event = JSON.parse(data);
      if (event.type === 'error') failure = `stream ${event.error.code}`;
      if (event.type === 'chat.end') result = event.result;
    },
  }).feed(text);
  if (result?.response_id !== undefined) observations.succeed(kind, performance.now() - started);
  else observations.fail(kind, failure);
  return result;
}

function readJson(text: string): ApiAnswer['body'] {
  return text.startsWith('{') ? JSON.parse(text) : undefined;
}

async function randomImage(random: () => number): Promise<string> {
  const channel = () => Math.floor(random() * 256);
  const background = { r: channel(), g: channel(), b: channel() };
  const create = { width: 56, height: 56, channels: 3, background } as const;
  const png = await sharp({ create }).png().toBuffer();
  return `data:image/png;base64,${png.toString('base64')}`;
}
