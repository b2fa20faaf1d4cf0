import type { InputPart } from '../conversations/conversation-queries.ts';
import type { ChatBody } from '../runs/run.ts';
import type { ConversationSettings } from './conversation-settings.ts';

type Input = ChatBody['input'];

interface Place {
  /** Id of the response that the message continues; null for a beginning. */
  readonly previousId: string | null;
  /** Absent in a new conversation. */
  readonly conversationId: string | undefined;
  /** Id of the project for a new conversation. */
  readonly projectId?: string | undefined;
  readonly isTemporary?: boolean;
}

/** Converts a message to a request. Absent settings stay absent, so that the model's defaults apply. */
export function toChatBody(
  settings: ConversationSettings & { readonly model: string },
  input: Input,
  { previousId, conversationId, projectId, isTemporary = false }: Place,
): Omit<ChatBody, 'stream' | 'background' | 'store'> {
  const { systemPrompt } = settings;
  const integrations = toIntegrations(settings);
  return {
    model: settings.model,
    input,
    // In a continued conversation, an empty text removes the system prompt of earlier messages.
    ...(systemPrompt === '' && previousId === null ? {} : { system_prompt: systemPrompt }),
    ...(previousId === null
      ? definedOnly({
          conversation_id: conversationId,
          project_id: conversationId === undefined ? projectId : undefined,
          temporary: isTemporary && conversationId === undefined ? true : undefined,
        })
      : { previous_response_id: previousId }),
    ...(integrations.length === 0 ? {} : { integrations, tool_approvals: true }),
    ...toContinueBody(settings, settings.model),
    ...definedOnly({
      reasoning: settings.reasoning,
      response_format: settings.responseFormat,
    }),
  };
}

/**
 * The request to continue an answer.
 *
 * @param model The model that wrote the answer; adapters of another model are left out.
 */
export function toContinueBody(settings: ConversationSettings, model: string | undefined) {
  const { adapters } = settings;
  const chosen = adapters?.model === model ? Object.entries(adapters?.scales ?? {}) : [];
  return {
    ...(chosen.length === 0
      ? {}
      : { adapters: chosen.map(([adapter, scale]) => ({ adapter, scale })) }),
    ...toParameters(settings),
  };
}

/** The parameters that messages and presets share. */
export function toParameters(settings: ConversationSettings) {
  return definedOnly({
    temperature: settings.temperature,
    top_p: settings.topP,
    top_k: settings.topK,
    min_p: settings.minP,
    repeat_penalty: settings.repeatPenalty,
    max_output_tokens: settings.maxOutputTokens,
    context_length: settings.contextLength,
    truncation: settings.dropsOldTurns === true ? ('auto' as const) : undefined,
  });
}

export function toIntegrations({
  integrations,
  allowedTools = {},
  servers = [],
}: ConversationSettings) {
  return [
    ...integrations.map((id) => {
      const allowed = allowedTools[id];
      return allowed === undefined
        ? id
        : { type: 'plugin' as const, id, allowed_tools: [...allowed] };
    }),
    ...servers.map(({ label, url }) => ({
      type: 'ephemeral_mcp' as const,
      server_label: label,
      server_url: url,
    })),
  ];
}

export function definedOnly<Fields extends object>(fields: Fields) {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [Key in keyof Fields]?: NonNullable<Fields[Key]> };
}

/** Converts the parts of a message for a request. Stored images and audio are loaded as data URLs with `loadMedia`. */
export async function toInput(
  parts: readonly InputPart[],
  loadMedia: (sha256: string) => Promise<string>,
): Promise<Input> {
  const [only] = parts;
  if (parts.length === 1 && only !== undefined && 'content' in only) return only.content;
  return Promise.all(
    parts.map(async (part) => {
      if ('content' in part) return part;
      const url = 'data_url' in part ? part.data_url : await loadMedia(part.sha256);
      return { type: part.type, data_url: url };
    }),
  );
}
