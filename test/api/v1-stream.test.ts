import { describe, expect, it } from 'vitest';
import { chatEventSchema, type ChatEvent } from '../../src/api/v1/chat/chat-event-schema.ts';
import { post, stream } from '../setup/server/api.ts';
import { normalizeEvents } from '../setup/server/normalize-events.ts';
import { useHearth } from '../setup/server/use-hearth.ts';

describe('the event stream of a v1 chat', () => {
  const hearth = useHearth();

  const chat = async (body: Record<string, unknown>): Promise<readonly ChatEvent[]> => {
    const events = await stream(hearth.url, '/api/v1/chat', {
      model: 'hearth/starter-chat',
      temperature: 0,
      ...body,
    });
    return events.map(({ event, data }) => {
      const parsed = chatEventSchema.parse(JSON.parse(data));
      expect(parsed.type).toBe(event);
      return parsed;
    });
  };
  /** Event types in order, with repetitions removed. */
  const shape = (events: readonly ChatEvent[]): readonly string[] =>
    events.map(({ type }) => type).filter((type, index, all) => type !== all[index - 1]);
  const textOf = (events: readonly ChatEvent[], type: 'message.delta' | 'reasoning.delta') =>
    events.flatMap((event) => (event.type === type ? [event.content] : [])).join('');

  // covers v1-chat-6, v1-event-1, v1-event-2, v1-event-4, v1-event-9, v1-stored-1
  it('reports load, prompt, reasoning and message in this order, and ends with the result', async () => {
    const events = await chat({ input: 'My name is Zorbek.', reasoning: 'on' });
    expect(shape(events).filter((type) => type !== 'model_load.progress')).toEqual([
      'chat.start',
      'model_load.start',
      'model_load.end',
      'prompt_processing.start',
      'prompt_processing.progress',
      'prompt_processing.end',
      'reasoning.start',
      'reasoning.delta',
      'reasoning.end',
      'message.start',
      'message.delta',
      'message.end',
      'chat.end',
    ]);
    const end = events.at(-1);
    expect(end?.type === 'chat.end' && end.result).toMatchObject({
      model_instance_id: 'hearth/starter-chat',
      output: [
        { type: 'reasoning', content: textOf(events, 'reasoning.delta') },
        { type: 'message', content: textOf(events, 'message.delta') },
      ],
      response_id: expect.stringMatching(/^resp_[0-9a-f]{48}$/),
      stats: { model_load_time_seconds: expect.any(Number) },
    });
    expect(textOf(events, 'message.delta')).toContain('Zorbek');
    await expect(normalizeEvents(events)).toMatchFileSnapshot('../fixtures/v1-chat-stream.sse');
  });

  // covers v1-chat-6, v1-event-1, v1-event-8
  it('equals the response that is not streamed after joining the deltas', async () => {
    const request = { input: 'Tell me a story', reasoning: 'off', store: false };
    const events = await chat(request);
    const whole = await post(hearth.url, '/api/v1/chat', {
      model: 'hearth/starter-chat',
      temperature: 0,
      ...request,
    });
    const end = events.at(-1);
    const streamed = end?.type === 'chat.end' ? end.result : undefined;
    expect(streamed?.output).toEqual(whole.body.output);
    expect(textOf(events, 'message.delta')).toBe(whole.body.output[0].content);
    expect(Object.keys(streamed ?? {}).toSorted()).toEqual(Object.keys(whole.body).toSorted());
    expect(streamed?.stats.total_output_tokens).toBe(whole.body.stats.total_output_tokens);
  });

  // covers v1-event-3
  it('reports progress of a long prompt up to the end', async () => {
    const events = await chat({
      input: `Repeat after me: ${'the quick fox '.repeat(400)}`,
      max_output_tokens: 5,
      reasoning: 'off',
    });
    const progress = events.flatMap((event) =>
      event.type === 'prompt_processing.progress' ? [event.progress] : [],
    );
    expect(progress.length).toBeGreaterThan(2);
    expect(progress).toEqual(progress.toSorted((one, other) => one - other));
    expect(progress.at(-1)).toBe(1);
  });

  const tooLong = { model: 'hearth/starter-chat', input: 'word '.repeat(6000), reasoning: 'off' };

  // covers v1-chat-29, v1-event-10, error-5
  it('does not open where the prompt is too long', async () => {
    const { status, body } = await post(hearth.url, '/api/v1/chat', {
      ...tooLong,
      // The prompt is refused before the engine reads it, so even a busy machine refuses it before the stream must
      // open.
      input: 'word '.repeat(20_000),
      stream: true,
    });
    expect(status).toBe(400);
    expect(body.error).toMatchObject({ code: 'context_length_exceeded' });
    expect(body.error.message).toMatch(/\d+ tokens.*4096/s);
  });

  // covers v1-event-11
  it('ends with an error event and chat.end where a load came before the prompt, storing nothing', async () => {
    await post(hearth.url, '/api/v1/models/unload', { instance_id: 'hearth/starter-chat' });
    const events = await chat(tooLong);
    await expect(normalizeEvents(events)).toMatchFileSnapshot('../fixtures/v1-chat-error.sse');
    expect(shape(events).slice(-2)).toEqual(['error', 'chat.end']);
    const error = events.find((event) => event.type === 'error');
    expect(error?.error).toMatchObject({ code: 'context_length_exceeded' });
    const end = events.at(-1);
    expect(end?.type === 'chat.end' && end.result.response_id).toBeUndefined();
  });

  // covers v1-chat-14, v1-event-10
  it('answers with ordinary JSON if the request is invalid', async () => {
    const { status, body } = await post(hearth.url, '/api/v1/chat', {
      model: 'hearth/starter-chat',
      input: 'Hello!',
      reasoning: 'high',
      stream: true,
    });
    expect(status).toBe(400);
    expect(body.error.code).toBe('unsupported_reasoning');
    expect(body.error.message).toContain('"off", "on"');
  });
});
