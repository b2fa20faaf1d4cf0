import type { TurnContent, TurnRequest } from '../../../chat/turn-request.ts';
import type { ChatRequest } from './chat-schema.ts';
import { toAdapterChoices } from '../models/adapter-schema.ts';
import { omitUndefined } from '../../../kernel/omit-undefined.ts';
import type { Integration } from '../../../tools/toolbox.ts';

/**
 * Converts a v1 request to a turn with one user message.
 *
 * @param begin Parts of the message before its input.
 */
export function toTurnRequest(body: ChatRequest, begin: readonly TurnContent[] = []): TurnRequest {
  return {
    model: body.model,
    messages: [{ role: 'user', content: [...begin, ...toContent(body.input)] }],
    sampling: omitUndefined({
      temperature: body.temperature,
      topP: body.top_p,
      topK: body.top_k,
      minP: body.min_p,
      repeatPenalty: body.repeat_penalty,
    }),
    integrations: (body.integrations ?? []).map(toIntegration),
    isStored: body.store ?? true,
    ...(body.truncation === 'auto' ? { dropsOldTurns: true } : {}),
    waitsForLoad: body.stream === true,
    ...(body.stream === true || body.background === true ? {} : { isWhole: true }),
    ...omitUndefined({
      systemPrompt: body.system_prompt,
      previousResponseId: body.previous_response_id,
      maxOutputTokens: body.max_output_tokens,
      reasoning: body.reasoning,
      contextLength: body.context_length,
      adapters: body.adapters == null ? undefined : toAdapterChoices(body.adapters),
      responseFormat: body.response_format,
    }),
  };
}

function toContent(input: ChatRequest['input']): readonly TurnContent[] {
  if (typeof input === 'string') return [{ type: 'text', text: input }];
  return input.map((item) =>
    item.type === 'image' || item.type === 'audio'
      ? { type: item.type, url: item.data_url }
      : { type: 'text', text: item.content },
  );
}

function toIntegration(item: NonNullable<ChatRequest['integrations']>[number]): Integration {
  if (typeof item === 'string') return { type: 'plugin', id: item, isBare: true };
  const allowedTools = item.allowed_tools;
  if (item.type === 'plugin')
    return { type: 'plugin', id: item.id, ...omitUndefined({ allowedTools }) };
  const { server_label: serverLabel, server_url: serverUrl, headers } = item;
  return {
    type: 'ephemeralMcp',
    serverLabel,
    serverUrl,
    ...omitUndefined({ allowedTools, headers }),
  };
}
