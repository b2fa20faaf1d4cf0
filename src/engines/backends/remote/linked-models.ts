import * as z from 'zod';
import { type Standing, standings } from '../../loads/policy/choose-machine.ts';
import type { LinkedModel, RemoteModelType } from './upstream.ts';

const reasoningLevel = z.enum(['off', 'low', 'medium', 'high', 'on']);
/** Terminals show these texts, so control characters are not allowed. */
const text = z
  .string()
  .max(512)
  .regex(/^\P{C}*$/u);
const linkedModel = z.object({
  key: text.min(1),
  type: z.enum(['llm', 'embedding', 'reranker']),
  publisher: text,
  display_name: text,
  architecture: text.nullish(),
  params_string: text.nullable(),
  quantization: z.object({ name: text, bits_per_weight: z.number() }).nullable(),
  size_bytes: z.int().nonnegative(),
  max_context_length: z.int().positive(),
  capabilities: z
    .object({
      vision: z.boolean(),
      audio: z.boolean().optional(),
      trained_for_tool_use: z.boolean(),
      reasoning: z
        .object({ allowed_options: z.array(reasoningLevel).max(16), default: reasoningLevel })
        .optional(),
    })
    .optional(),
  variant_ids: z.array(text.min(1)).min(1).max(256),
  standing: z.enum(standings),
});
const typesOfOthers = { embedding: 'embeddings', reranker: 'reranker' } as const;
const linkedList = z.object({ models: z.array(z.unknown()) });

interface ListedModel {
  readonly id: string;
  readonly type: RemoteModelType;
  readonly contextLength: number;
  readonly linked: LinkedModel;
  readonly standing: Standing;
}

/** Reads a linked machine's response to `GET /api/v1/links/models`. Skips unknown kinds of models. */
export function readLinkedModels(answer: unknown): readonly ListedModel[] {
  return linkedList.parse(answer).models.flatMap((each) => {
    const model = linkedModel.safeParse(each).data;
    return model === undefined ? [] : [toListed(model)];
  });
}

function toListed(model: z.output<typeof linkedModel>): ListedModel {
  const { key, type, capabilities } = model;
  const isVision = capabilities?.vision === true;
  const { reasoning } = capabilities ?? {};
  return {
    id: key,
    type: type === 'llm' ? (isVision ? 'vlm' : 'llm') : typesOfOthers[type],
    contextLength: model.max_context_length,
    standing: model.standing,
    linked: {
      publisher: model.publisher,
      displayName: model.display_name,
      architecture: model.architecture ?? 'unknown',
      parameterLabel: model.params_string,
      isTrainedForToolUse: capabilities?.trained_for_tool_use ?? false,
      hearsAudio: capabilities?.audio ?? false,
      reasoning:
        reasoning === undefined
          ? null
          : { allowedOptions: reasoning.allowed_options, default: reasoning.default },
      variants: model.variant_ids.map((id, index) => ({
        id,
        quantization:
          index > 0 || model.quantization === null
            ? null
            : { name: model.quantization.name, bitsPerWeight: model.quantization.bits_per_weight },
        path: `${key}@${id}`,
        files: [],
        sizeBytes: index > 0 ? 0 : model.size_bytes,
      })),
    },
  };
}
