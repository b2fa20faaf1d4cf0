import type { TurnContent, TurnMessage, TurnRequest } from '../../../chat/turn-request.ts';
import type { V0ChatRequest, V0Message } from '../../../contract/v0/chat-completion.ts';
import type { ResponseFormat, ToolChoice, ToolDefinition } from '../../../engine/engine.ts';
import { omitUndefined } from '../../../omit-undefined.ts';
import { toGenerationOptions } from './to-generation-options.ts';

/** The turn of a chat completion: the whole conversation, client-side tools, not stored. */
export function toTurnRequest(body: V0ChatRequest): TurnRequest {
  return {
    ...toGenerationOptions(body),
    messages: body.messages.map(toMessage),
    clientTools: toTools(body),
    integrations: [],
    isStored: false,
    ...omitUndefined({
      toolChoice: toToolChoice(body),
      responseFormat: toResponseFormat(body),
      topLogprobs: body.logprobs === true ? (body.top_logprobs ?? 0) : undefined,
    }),
  };
}

function toMessage(message: V0Message): TurnMessage {
  const content = toContent(message.content);
  switch (message.role) {
    case 'developer':
    case 'system':
      return { role: 'system', content };
    case 'user':
      return { role: 'user', content };
    case 'tool':
      return { role: 'tool', toolCallId: message.tool_call_id, content };
    case 'assistant': {
      const toolCalls = message.tool_calls?.map(({ id, function: called }) => ({
        id,
        name: called.name,
        argumentsJson: called.arguments,
      }));
      return { role: 'assistant', content, ...omitUndefined({ toolCalls }) };
    }
  }
}

function toContent(content: V0Message['content']): readonly TurnContent[] {
  if (content == null) return [];
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return content.map((part) => {
    if (part.type === 'text') return { type: 'text', text: part.text };
    const { image_url: image } = part;
    return { type: 'image', dataUrl: typeof image === 'string' ? image : image.url };
  });
}

function toTools({ tools }: V0ChatRequest): readonly ToolDefinition[] {
  return (tools ?? []).map(({ function: { name, description, parameters } }) => ({
    name,
    ...omitUndefined({ description }),
    parameters: parameters ?? { type: 'object', properties: {} },
  }));
}

function toToolChoice({ tool_choice: choice }: V0ChatRequest): ToolChoice | undefined {
  if (choice == null) return undefined;
  return typeof choice === 'string' ? choice : { name: choice.function.name };
}

function toResponseFormat({ response_format: format }: V0ChatRequest): ResponseFormat | undefined {
  if (format == null) return undefined;
  return format.type === 'json_schema'
    ? { type: 'json_schema', schema: format.json_schema.schema }
    : { type: format.type };
}
