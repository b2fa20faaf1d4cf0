import * as z from 'zod';
import { openAiEventSchema } from '../../kit/error-body.ts';
import { chatErrors, fileErrors, mediaErrors } from '../../../kernel/errors/error-groups.ts';
import { textSchema } from '../../../kernel/field.ts';
import { defineRoute } from '../../kit/route.ts';
import { jsonObjectSchema, responseFormatFields } from '../chat/response-format-schema.ts';
import {
  exampleV0Report,
  v0ChunkReportFields,
  v0FinishReasonSchema,
  v0ReportFields,
} from './result-schema.ts';
import { oneSchema, v0GenerationFields } from '../chat/sampling-schema.ts';
import * as named from '../../kit/named.ts';

const textPartSchema = named.looseObject('V0TextPart', {
  type: z.literal('text'),
  text: textSchema,
});
const imagePartSchema = named.looseObject('V0ImagePart', {
  type: z.literal('image_url'),
  image_url: z
    .union([textSchema, named.looseObject('V0ImageUrl', { url: textSchema })])
    .describe(
      'A PNG, JPEG, WebP or GIF as a base64 `data:` URL, or its http or https URL if `images.urlHosts` allows it.',
    ),
});
export const inputAudioSchema = named.looseObject('V0AudioPart', {
  type: z.literal('input_audio'),
  input_audio: named.looseObject('V0InputAudio', {
    data: textSchema.describe('A WAV, MP3 or FLAC file in base64.'),
    format: z
      .enum(['wav', 'mp3', 'flac'])
      .describe('The content decides; the field is there as OpenAI requires it.'),
  }),
});
export type V0AudioPart = z.infer<typeof inputAudioSchema>;
const filePartSchema = z
  .looseObject({
    type: z.literal('file'),
    file: named.looseObject('V0File', {
      file_data: textSchema
        .nullish()
        .describe('The content as a base64 `data:` URL, or in base64.'),
      file_id: z.string().max(512).nullish().describe('A file of `POST /v1/files`.'),
      filename: z.string().max(512).nullish(),
    }),
  })
  .meta({
    id: 'V0FilePart',
    description: 'A document, such as a PDF or .docx; the model reads its text.',
  });
const contentPartSchema = named.discriminatedUnion('V0ContentPart', 'type', [
  textPartSchema,
  imagePartSchema,
]);
const contentSchema = named.union('V0Content', [textSchema, z.array(contentPartSchema).max(1000)]);
const userContentSchema = named.union('V0UserContent', [
  textSchema,
  z
    .array(
      named.discriminatedUnion('V0UserPart', 'type', [
        textPartSchema,
        imagePartSchema,
        inputAudioSchema,
        filePartSchema,
      ]),
    )
    .max(1000),
]);

const assistantContentSchema = z
  .union([
    textSchema,
    z
      .array(
        named.discriminatedUnion('V0AssistantPart', 'type', [
          textPartSchema,
          named.looseObject('V0RefusalPart', { type: z.literal('refusal'), refusal: textSchema }),
        ]),
      )
      .max(1000),
  ])
  .meta({
    id: 'V0AssistantContent',
    description: 'Text only: models do not read images of their own.',
  });

export const toolCallSchema = named.looseObject('V0ToolCall', {
  id: z.string().max(512),
  type: z.literal('function'),
  function: named.looseObject('V0CalledFunction', {
    name: z.string().max(512),
    arguments: textSchema,
  }),
});

export const v0MessageSchema = named.discriminatedUnion('V0Message', 'role', [
  named.looseObject('V0SystemMessage', {
    role: z.enum(['system', 'developer']),
    content: contentSchema,
  }),
  named.looseObject('V0UserMessage', { role: z.literal('user'), content: userContentSchema }),
  named.looseObject('V0AssistantMessage', {
    role: z.literal('assistant'),
    content: assistantContentSchema.nullish(),
    tool_calls: z.array(toolCallSchema).max(1000).nullish(),
  }),
  named.looseObject('V0ToolMessage', {
    role: z.literal('tool'),
    content: contentSchema,
    tool_call_id: z.string().max(512),
  }),
]);
export type V0Message = z.infer<typeof v0MessageSchema>;

export const toolSchema = named.looseObject('V0Tool', {
  type: z.literal('function'),
  function: named.looseObject('V0Function', {
    name: z.string().min(1).max(512),
    description: textSchema.nullish(),
    parameters: jsonObjectSchema.nullish().describe('JSON schema of the arguments.'),
  }),
});

const toolChoiceSchema = named.union('V0ToolChoice', [
  z.enum(['auto', 'none', 'required']),
  named.looseObject('V0NamedToolChoice', {
    type: z.literal('function'),
    function: named.looseObject('V0NamedFunction', { name: z.string() }),
  }),
]);

export const reasoningEffortSchema = z
  .enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh'])
  .meta({
    id: 'V0ReasoningEffort',
    description: 'A model that can only reason or not does so for every value but `none`.',
  });

/** Request fields that control the model's reasoning. */
export const reasoningFields = {
  reasoning_effort: reasoningEffortSchema.nullish(),
  chat_template_kwargs: named
    .looseObject('V0ChatTemplateKwargs', {
      enable_thinking: z
        .boolean()
        .nullish()
        .describe('Whether the model reasons; `reasoning_effort` decides how much.'),
    })
    .nullish(),
};

const exampleChatRequest = {
  model: 'hearth/starter-chat',
  messages: [
    { role: 'system', content: 'You answer in one sentence.' },
    { role: 'user', content: 'Write a haiku about the sea.' },
  ],
  temperature: 0.7,
  max_tokens: 128,
};

export const v0ChatRequestSchema = named.looseObject('V0ChatRequest', [exampleChatRequest], {
  ...v0GenerationFields,
  ...reasoningFields,
  messages: z.array(v0MessageSchema).min(1).max(100_000),
  max_completion_tokens: v0GenerationFields.max_tokens,
  n: oneSchema.nullish().describe('A request has one answer.'),
  parallel_tool_calls: z.boolean().nullish(),
  tools: z.array(toolSchema).max(1000).nullish(),
  tool_choice: toolChoiceSchema.nullish(),
  ...responseFormatFields,
  logprobs: z.boolean().nullish(),
  top_logprobs: z.int().min(0).max(20).nullish(),
});
export type V0ChatRequest = z.infer<typeof v0ChatRequestSchema>;

const logprobsSchema = named
  .object('V0Logprobs', {
    content: z.array(named.looseObject('V0TokenLogprob', { token: z.string() })),
  })
  .nullable();

const completionFields = {
  id: z.string().regex(/^chatcmpl-[a-z0-9]{21}$/),
  object: z.literal('chat.completion'),
  created: z.int().describe('Unix time in seconds.'),
  model: z.string(),
};

const exampleChatResult = {
  id: 'chatcmpl-i3gkjwthhw96whukek9tz',
  object: 'chat.completion',
  created: 1_793_612_345,
  model: 'hearth/starter-chat',
  choices: [
    {
      index: 0,
      logprobs: null,
      finish_reason: 'stop',
      message: {
        role: 'assistant',
        content: 'Waves fold into foam; the moon pulls them home.',
      },
    },
  ],
  ...exampleV0Report,
};

export const v0ChatResultSchema = named.object('V0ChatResult', [exampleChatResult], {
  ...completionFields,
  choices: z.array(
    named.object('V0ChatChoice', {
      index: z.int(),
      logprobs: logprobsSchema,
      finish_reason: v0FinishReasonSchema,
      message: named.object('V0ChatMessage', {
        role: z.literal('assistant'),
        content: z.string(),
        reasoning_content: z.string().optional(),
        tool_calls: z.array(toolCallSchema).optional(),
      }),
    }),
  ),
  ...v0ReportFields,
});
export type V0ChatResult = z.infer<typeof v0ChatResultSchema>;

/** @param vendor Prefix of the names of the components. */
export const chatDeltaSchema = (vendor: 'V0' | 'OpenAi') => {
  const callSchema = named.object(`${vendor}ToolCallDelta`, {
    index: z.int(),
    id: z.string().exactOptional(),
    type: z.literal('function').exactOptional(),
    function: named.object(`${vendor}CalledFunctionDelta`, {
      name: z.string().exactOptional(),
      arguments: z.string(),
    }),
  });
  return named.object(`${vendor}ChatDelta`, {
    role: z.literal('assistant').exactOptional(),
    content: z.string().exactOptional(),
    reasoning_content: z.string().exactOptional(),
    tool_calls: z.array(callSchema).exactOptional(),
  });
};

const exampleChatChunk = {
  id: 'chatcmpl-i3gkjwthhw96whukek9tz',
  object: 'chat.completion.chunk',
  created: 1_793_612_345,
  model: 'hearth/starter-chat',
  choices: [{ index: 0, delta: { content: 'Waves fold' }, logprobs: null, finish_reason: null }],
};

export const v0ChatChunkSchema = named.object('V0ChatChunk', [exampleChatChunk], {
  ...completionFields,
  id: z.string(),
  object: z.literal('chat.completion.chunk'),
  choices: z.array(
    named.object('V0ChatChunkChoice', {
      index: z.int(),
      delta: chatDeltaSchema('V0'),
      logprobs: logprobsSchema,
      finish_reason: v0FinishReasonSchema.nullable(),
    }),
  ),
  ...v0ChunkReportFields,
});
export type V0ChatChunk = z.infer<typeof v0ChatChunkSchema>;

export const createChatCompletionV0 = defineRoute('POST /api/v0/chat/completions', {
  operationId: 'createChatCompletionV0',
  summary: 'Complete a conversation',
  description: 'The request contains the whole conversation; nothing is stored.',
  permission: 'chat',
  body: v0ChatRequestSchema,
  result: v0ChatResultSchema,
  events: openAiEventSchema(v0ChatChunkSchema, 'V0ChatEvent'),
  errors: [...chatErrors, ...mediaErrors, ...fileErrors, 'unsupported_reasoning'],
});
