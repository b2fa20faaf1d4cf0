import { readFile } from 'node:fs/promises';
import type * as z from 'zod';
import { createChatCompletionOpenAi } from '../../api/openai/chat/chat-completion-schema.ts';
import { suggestModel } from '../check-model.ts';
import type { Client } from '../client/client.ts';
import type { CommandContext } from '../context.ts';
import { CommandError } from '../failure.ts';
import type { ChatSettings } from './conversation.ts';
import type { InputItem } from '../../api/v1/chat/chat-schema.ts';

type CompletionRequest = z.input<(typeof createChatCompletionOpenAi)['body']>;
type ResponseFormat = NonNullable<CompletionRequest['response_format']>;

/**
 * Reads the value of `--format`: `json`, or the path of a JSON schema.
 *
 * @throws CommandError if the file is not a JSON object.
 */
export async function readFormat(format: string): Promise<ResponseFormat> {
  if (format === 'json') return { type: 'json_object' };
  const text = await readFile(format, 'utf8');
  const schema = parseJson(text);
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) {
    throw new CommandError(`${format} is not a JSON schema: it must be a JSON object.`);
  }
  const jsonSchema = { name: 'answer', schema: schema as Record<string, unknown>, strict: true };
  return { type: 'json_schema', json_schema: jsonSchema };
}

/**
 * Prints one answer in the given format. It is not stored.
 *
 * @throws CommandError if the model wrote nothing, or was cut off.
 */
export async function answerFormatted(
  { terminal, signal }: CommandContext,
  client: Client,
  settings: ChatSettings,
  message: { readonly text: string; readonly images: readonly InputItem[] },
  format: ResponseFormat,
): Promise<void> {
  const images = message.images.flatMap((image) =>
    image.type === 'image'
      ? [{ type: 'image_url' as const, image_url: { url: image.data_url } }]
      : [],
  );
  const system = settings.system_prompt;
  const body: CompletionRequest = {
    model: settings.model,
    messages: [
      ...(system ? [{ role: 'system' as const, content: system }] : []),
      {
        role: 'user' as const,
        content:
          images.length === 0
            ? message.text
            : [...images, { type: 'text' as const, text: message.text }],
      },
    ],
    temperature: settings.temperature,
    max_tokens: settings.max_output_tokens,
    response_format: format,
  };
  const result = await client
    .call(createChatCompletionOpenAi, { body }, signal)
    .catch(async (error: unknown) => {
      await suggestModel(client, settings.model, error, signal);
      throw error;
    });
  const [choice] = result.choices;
  const content = choice?.message.content ?? '';
  if (content !== '') terminal.output.line(content);
  if (choice?.finish_reason === 'length') {
    throw new CommandError('The answer was cut off. Allow a longer one with --max-tokens.');
  }
  if (content === '') throw new CommandError('The model wrote no answer.');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
