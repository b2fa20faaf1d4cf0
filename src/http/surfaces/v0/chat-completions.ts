import { omitUndefined } from '../../../omit-undefined.ts';
import {
  createChatCompletionV0,
  type V0ChatRequest,
} from '../../../contract/v0/chat-completion.ts';
import { generate, type GenerationCall } from '../../../chat/generation.ts';
import type { ResponseFormat, ToolChoice, ToolDefinition } from '../../../engine/engine.ts';
import { mount, type App } from '../../mount.ts';
import { toRequestContext } from '../../request-context.ts';
import { eventStream } from '../../sse.ts';
import type { SurfaceServices } from '../services.ts';
import { chatChunks } from './chat-chunks.ts';
import { collectChat } from './chat-result.ts';
import { toGenerationCall } from './generation-call.ts';
import { toEngineMessages } from './messages.ts';
import { openStream } from './open-stream.ts';

export function mountChatCompletions(app: App, services: SurfaceServices): void {
  mount(app, createChatCompletionV0, async (request) => {
    const { body, signal } = request;
    const call = await toChatCall(body, services, signal);
    const steps = generate(services.pool, call, toRequestContext(request, services.logger));
    if (body.stream !== true) return collectChat(steps);
    const includesUsage = body.stream_options?.include_usage === true;
    const options = { signal, logger: services.logger, includesUsage };
    return eventStream(chatChunks(await openStream(steps), options), options);
  });
}

async function toChatCall(
  body: V0ChatRequest,
  services: SurfaceServices,
  signal: AbortSignal,
): Promise<GenerationCall> {
  const target = await services.pool.resolve(body.model ?? undefined, 'generation');
  const { model } = target.selection;
  const messages = await toEngineMessages(body.messages, model, services.maxImagePixels, signal);
  return toGenerationCall(body, target, {
    kind: 'chat',
    messages,
    ...omitUndefined({
      tools: toTools(body),
      toolChoice: toToolChoice(body),
      responseFormat: toResponseFormat(body),
      topLogprobs: body.logprobs === true ? (body.top_logprobs ?? 0) : undefined,
    }),
  });
}

function toTools({ tools }: V0ChatRequest): readonly ToolDefinition[] | undefined {
  if (tools == null || tools.length === 0) return undefined;
  return tools.map(({ function: { name, description, parameters } }) => ({
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
