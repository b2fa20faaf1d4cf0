import { HearthError } from '../../../kernel/errors/errors.ts';
import { engineStreamFailures } from '../wire/engine-client.ts';
import type { JsonSchema, WireDialect } from '../wire/dialect.ts';
import type { AdapterScale, GenerationRequest } from '../../engine.ts';
import { isParseFailure, streamFailure } from './engine-failure.ts';
import { toGrammarSchema } from './grammar/grammar-schema.ts';

/** The adapters of an engine, in the order of the engine's adapter numbers. */
export type AttachedAdapters = readonly { readonly id: string }[];

/** Maximum number of schemas in one request, with references expanded. */
const maxSchemaNodes = 20_000;

/**
 * The API of a llama-server that Hearth started (tools/server/README.md of llama.cpp). Absent sampling fields take
 * the model's defaults (`general.sampling.*` of the GGUF), else the engine's.
 *
 * @param adapters In the order of the engine's adapter numbers.
 * @param contextLength Needed to generate.
 */
export function createLlamaDialect(
  adapters: AttachedAdapters,
  contextLength?: number,
): WireDialect {
  return {
    ...llamaDialect,
    ownFields: (request) => ownFields(request, adapters, contextLength),
  };
}

function ownFields(
  request: GenerationRequest,
  adapters: AttachedAdapters,
  contextLength: number | undefined,
): object {
  const { repeatLastTokens: window } = request.sampling;
  const hasWindow = window !== undefined && contextLength !== undefined;
  return {
    // llama-server (b11549) rejects -1, and reserves memory for each token of the window.
    ...(hasWindow && {
      repeat_last_n: window < 0 ? contextLength : Math.min(window, contextLength),
    }),
    cache_prompt: request.reusesSlot ?? true,
    return_progress: true,
    id_slot: request.slot,
    ...(adapters.length > 0 || request.adapters ? loraField(adapters, request.adapters) : {}),
    ...(request.kind === 'chat'
      ? {
          // Hearth finds a chat's stop strings itself, and then needs the number of tokens up to the stop string.
          timings_per_token: (request.stop ?? []).length > 0 ? true : undefined,
          // OpenAI's `finish_reason` does not distinguish a stop string from the end of the text, or a full context
          // from `max_tokens`. `verbose` adds the engine's own result, limited to these fields.
          verbose: true,
          response_fields: ['stop_type', 'stopping_word', 'truncated'],
        }
      : // Without this list, the last event repeats the prompt and all settings.
        { response_fields: ['stop', 'stop_type', 'stopping_word', 'truncated', 'timings'] }),
  };
}

/**
 * The field `lora` of a request, with all adapters of the engine. Without the field, llama-server (b11549) applies
 * the adapters that it was started with, and reuses tokens in the slot that were computed with other adapters.
 *
 * @throws Error for an adapter that is not attached.
 */
export function loraField(
  attached: AttachedAdapters,
  adapters: readonly AdapterScale[] = [],
): object {
  const scales = new Map(adapters.map(({ id, scale }) => [id, scale]));
  const lora = attached.map(({ id }, index) => {
    const scale = scales.get(id) ?? 0;
    scales.delete(id);
    return { id: index, scale };
  });
  if (scales.size > 0) throw new Error('an adapter is not attached');
  return lora.length === 0 ? {} : { lora };
}

/** Field names that llama-server has in its own API and in its OpenAI-compatible API. */
export const llamaFields = {
  maxReasoningTokens: 'thinking_budget_tokens',
  sampling: {
    topK: 'top_k',
    minP: 'min_p',
    repeatPenalty: 'repeat_penalty',
    repeatLastTokens: 'repeat_last_n',
  },
} as const;

const llamaDialect: WireDialect = {
  server: 'llama-server',
  paths: { chat: '/v1/chat/completions', completion: '/completion', embeddings: '/v1/embeddings' },
  fields: {
    maxTokens: 'n_predict',
    completionLogprobs: 'n_probs',
    ...llamaFields,
  },
  minTopLogprobs: 1,
  embeddingFormat: 'base64',
  readsTokenIds: true,
  infill: { path: '/infill', prompt: 'input_prefix', suffix: 'input_suffix' },
  reasoning: 'template',
  toolChoice: 'grammar',
  schemas: {
    // Schemas may be loosened for the engine, since Hearth validates the arguments.
    tools: (tools) => {
      const budget = { nodes: maxSchemaNodes };
      return tools.map((tool) => ({
        ...tool,
        parameters: toGrammarSchema(tool.parameters, budget).schema,
      }));
    },
    answer: lossless,
  },
  // In a chat, the engine would also find stop strings in the reasoning and in calls.
  stopStrings: { chat: 'hearth', completion: 'server' },
  leavesReasoning: false,
  // The engine parses the markup of calls only if the request offers tools.
  leavesCalls: ({ tools = [], toolChoice }) =>
    tools.length === 0 || toolChoice === 'none' ? 'anywhere' : 'nowhere',
  explainsLimit: true,
  countsReasoning: false,
  failures: { ...engineStreamFailures, reported: streamFailure, isParseFailure },
};

/** Rejects a schema that would lose a constraint, since Hearth does not validate answers. */
function lossless(answer: JsonSchema): JsonSchema {
  const { schema, losses } = toGrammarSchema(answer, { nodes: maxSchemaNodes });
  const [loss] = losses;
  if (loss === undefined) return schema;
  throw new HearthError(
    'invalid_value',
    `The engine cannot enforce the schema: at \`${loss.pointer}\` it ${loss.reason}.`,
    { field: 'responseFormat.schema' },
  );
}
