import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { chatResultSchema } from '../../src/api/v1/chat/chat-schema.ts';
import { openAiChatCompletionSchema } from '../../src/api/openai/chat/chat-completion-schema.ts';
import { readWav } from '../../src/kernel/wav.ts';
import { audioModel, placeAudioModel } from '../setup/models/audio-projector.ts';
import { tone } from '../setup/models/tone.ts';
import { get, post } from '../setup/server/api.ts';
import { expectError } from '../setup/server/expect-error.ts';
import { useHearth } from '../setup/server/use-hearth.ts';

/** Number of tokens that the projector makes of half a minute, whatever the audio contains. */
const tokensOfAudio = 60;

const toDataUrl = (file: Buffer) => `data:audio/wav;base64,${file.toString('base64')}`;

describe('audio in chats', () => {
  const hearth = useHearth(placeAudioModel);

  const complete = async (file: Buffer, more: object = {}) => {
    const { status, body } = await post(hearth.url, '/v1/chat/completions', {
      model: audioModel,
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'What do you hear?' },
            {
              type: 'input_audio',
              input_audio: { data: file.toString('base64'), format: 'wav' },
            },
          ],
        },
      ],
      temperature: 0,
      max_tokens: 12,
      reasoning_effort: 'none',
      logprobs: true,
      ...more,
    });
    expect(status, JSON.stringify(body)).toBe(200);
    const { choices, usage } = openAiChatCompletionSchema.parse(body);
    const [first] = choices[0]?.logprobs?.content ?? [];
    return { probability: first?.logprob, promptTokens: usage.prompt_tokens };
  };

  it('reaches the engine, which makes tokens of it', async () => {
    const { body } = await get(hearth.url, `/api/v1/models/${audioModel}`);
    expect(body).toMatchObject({ type: 'llm', capabilities: { vision: false, audio: true } });
    const short = await complete(tone(300));
    const other = await complete(tone(3000));
    const long = await complete(tone(300, 40));
    expect(other.promptTokens).toBe(short.promptTokens);
    expect(long.promptTokens - short.promptTokens).toBe(tokensOfAudio);
    expect(short.probability).toBeLessThan(0);
    expect(other.probability).not.toBe(short.probability);
    expect((await complete(tone(300))).probability).toBe(short.probability);
  });

  it('is kept with its conversation, at 16,000 Hz', async () => {
    const say = async (body: object) => {
      const answer = await post(hearth.url, '/api/v1/chat', {
        model: audioModel,
        max_output_tokens: 4,
        reasoning: 'off',
        ...body,
      });
      expect(answer.status, JSON.stringify(answer.body)).toBe(200);
      return chatResultSchema.parse(answer.body);
    };
    const first = await say({
      input: [
        { type: 'text', content: 'Listen!' },
        { type: 'audio', data_url: toDataUrl(tone(440)) },
      ],
    });
    const stored = await get(hearth.url, `/api/v1/responses/${first.response_id}`);
    const { input } = z
      .object({ input: z.tuple([z.unknown(), z.object({ data_url: z.string() })]) })
      .parse(stored.body);
    const [, base64 = ''] = input[1].data_url.split(',');
    expect(readWav(Buffer.from(base64, 'base64'))?.format).toMatchObject({ sampleRate: 16_000 });
    const second = await say({ input: 'And?', previous_response_id: first.response_id });
    expect(second.stats.input_tokens).toBeGreaterThan(first.stats.input_tokens);
    const listed = await get(hearth.url, '/api/v1/conversations');
    const [{ conversation_id: id }] = z
      .object({ conversations: z.tuple([z.object({ conversation_id: z.string() })]) })
      .parse(listed.body).conversations;
    const exported = await get(hearth.url, `/api/v1/conversations/${id}/export?format=json`);
    const imported = await post(hearth.url, '/api/v1/conversations/import', exported.body);
    expect(imported.status, JSON.stringify(imported.body)).toBe(200);
    const elsewhere = await post(hearth.url, '/api/v1/chat', {
      model: 'hearth/starter-chat',
      input: 'And?',
      previous_response_id: first.response_id,
    });
    expectError(elsewhere, {
      code: 'audio_unsupported',
      param: 'previous_response_id',
      message: "starter-chat can't hear audio",
    });
  });

  it('is refused where it cannot be read', async () => {
    const chat = (dataUrl: string, model = audioModel) =>
      post(hearth.url, '/api/v1/chat', { model, input: [{ type: 'audio', data_url: dataUrl }] });
    expectError(await chat('data:audio/ogg;base64,T2dnUwAA'), {
      code: 'invalid_audio',
      message: 'is Ogg; wav, mp3 and flac are supported',
      param: 'input[0].data_url',
    });
    expectError(await chat('data:audio/wav,plain'), {
      code: 'invalid_audio',
      message: 'base64 data URL',
      param: 'input[0].data_url',
    });
    expectError(await chat(toDataUrl(tone(1)), 'hearth/starter-chat'), {
      code: 'audio_unsupported',
      param: 'input[0].data_url',
      message: "starter-chat can't hear audio",
    });
  });
});
