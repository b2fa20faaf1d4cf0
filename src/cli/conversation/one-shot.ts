import type { ChatRequest, InputItem } from '../../api/v1/chat/chat-schema.ts';
import { createChat } from '../../api/v1/chat/chat-event-schema.ts';
import type { Client } from '../client/client.ts';
import type { CommandContext } from '../command.ts';
import { CommandError } from '../failure.ts';
import { type AnswerView, createAnswerView, formatStats } from './answer-view.ts';
import { suggestingModel } from '../check-model.ts';
import { createToolApprovals, type ToolPolicy } from './tool-approvals.ts';
import { type ChatSettings, describeMissingAnswer, streamAnswer } from './conversation.ts';
import { readFile } from 'node:fs/promises';
import type * as z from 'zod';
import { createChatCompletionOpenAi } from '../../api/openai/chat/chat-completion-schema.ts';
import { parseJson } from '../../kernel/parse-json.ts';

const noView: AnswerView = { show: () => {}, end: () => {} };

/**
 * Sends one message and prints the text of the answer, or the whole result as JSON.
 *
 * @throws CommandError if the model wrote no message; the errors of `streamAnswer`.
 */
export async function answerOnce(
  context: CommandContext,
  client: Client,
  request: ChatRequest,
  show: {
    readonly isJson: boolean;
    readonly showsStats: boolean;
    readonly hidesThinking: boolean;
    readonly policy: ToolPolicy;
  },
): Promise<void> {
  const { terminal } = context;
  const signal = AbortSignal.any([context.signal, terminal.outputClosed]);
  try {
    const view = show.isJson ? noView : createAnswerView(terminal, show);
    const approvals = createToolApprovals(client, terminal.messages, show.policy, signal);
    // With tools, the answer must be streamed, since only a stream can ask for approvals.
    const isWhole = show.isJson && (request.integrations ?? []).length === 0;
    const result = isWhole
      ? await client.call(createChat, { body: request }, signal)
      : await streamAnswer(client, request, { view, approvals }, signal);
    if (show.isJson) terminal.output.json(result);
    if (show.showsStats) terminal.messages.line(formatStats(result.stats));
    const problem = describeMissingAnswer(result);
    if (problem !== undefined) throw new CommandError(problem);
  } catch (error) {
    const isOutputClosed = terminal.outputClosed.aborted && !context.signal.aborted;
    if (isOutputClosed) return;
    return suggestingModel(client, request.model, context.signal)(error);
  }
}

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
 * Prints one answer in the given format. The response is not stored.
 *
 * @throws CommandError if the answer is empty or was cut off.
 */
export async function answerFormatted(
  { terminal, signal }: CommandContext,
  client: Client,
  settings: ChatSettings,
  message: { readonly text: string; readonly attached: readonly InputItem[] },
  format: ResponseFormat,
): Promise<void> {
  const attached = message.attached.flatMap((item) => {
    if (item.type === 'audio') return [];
    return item.type === 'image'
      ? { type: 'image_url' as const, image_url: { url: item.data_url } }
      : { type: 'text' as const, text: item.content };
  });
  const system = settings.system_prompt;
  const body: CompletionRequest = {
    model: withAdapterNames(settings),
    messages: [
      ...(system ? [{ role: 'system' as const, content: system }] : []),
      {
        role: 'user' as const,
        content:
          attached.length === 0
            ? message.text
            : [...attached, { type: 'text' as const, text: message.text }],
      },
    ],
    temperature: settings.temperature,
    max_tokens: settings.max_output_tokens,
    response_format: format,
  };
  const result = await client
    .call(createChatCompletionOpenAi, { body }, signal)
    .catch(suggestingModel(client, settings.model, signal));
  const [choice] = result.choices;
  const content = choice?.message.content ?? '';
  if (content !== '') terminal.output.line(content);
  if (choice?.finish_reason === 'length') {
    throw new CommandError('The answer was cut off. Allow a longer one with --max-tokens.');
  }
  if (content === '') throw new CommandError('The model wrote no answer.');
}

/** OpenAI's API takes adapters as part of the model's name. */
function withAdapterNames({ model, adapters }: ChatSettings): string {
  const names = (adapters ?? []).map(({ adapter, scale }) => `${adapter}:${scale ?? 1}`);
  return [model, ...names].join('+');
}
