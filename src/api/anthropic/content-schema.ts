import * as z from 'zod';
import { textSchema } from '../../kernel/field.ts';
import * as named from '../kit/named.ts';

/** Content blocks of messages that clients send. All of them may have `cache_control`, which is ignored. */

const idSchema = z.string().min(1).max(512);
export const jsonObjectSchema = z.record(z.string(), z.unknown());

export const textBlockSchema = named.looseObject('AnthropicTextParam', {
  type: z.literal('text'),
  text: textSchema,
});

const imageBlockSchema = named.looseObject('AnthropicImageParam', {
  type: z.literal('image'),
  source: named.discriminatedUnion('AnthropicImageSource', 'type', [
    named.looseObject('AnthropicBase64Image', {
      type: z.literal('base64'),
      media_type: z.enum(['image/jpeg', 'image/png', 'image/gif', 'image/webp']),
      data: textSchema,
    }),
    z.looseObject({ type: z.literal('url'), url: textSchema }).meta({
      id: 'AnthropicUrlImage',
      description: 'An http or https URL if `images.urlHosts` allows it, or a base64 `data:` URL.',
    }),
  ]),
});

const documentBlockSchema = named.looseObject('AnthropicDocumentParam', {
  type: z.literal('document'),
  source: named.discriminatedUnion('AnthropicDocumentSource', 'type', [
    named.looseObject('AnthropicTextDocument', { type: z.literal('text'), data: textSchema }),
    named.looseObject('AnthropicBase64Document', {
      type: z.literal('base64'),
      media_type: z.string().max(256).nullish().describe('The content decides.'),
      data: textSchema.describe('A document, such as a PDF or .docx, in base64.'),
    }),
    named.looseObject('AnthropicFileDocument', {
      type: z.literal('file'),
      file_id: idSchema.describe('A file of `POST /v1/files`.'),
    }),
    named.looseObject('AnthropicContentDocument', {
      type: z.literal('content'),
      content: named.union('AnthropicDocumentContent', [
        textSchema,
        z
          .array(
            named.discriminatedUnion('AnthropicDocumentPart', 'type', [
              textBlockSchema,
              imageBlockSchema,
            ]),
          )
          .max(1000),
      ]),
    }),
  ]),
  title: textSchema.nullish(),
  context: textSchema.nullish(),
  citations: named.looseObject('AnthropicCitations', { enabled: z.boolean().nullish() }).nullish(),
});

const searchResultBlockSchema = named.looseObject('AnthropicSearchResultParam', {
  type: z.literal('search_result'),
  source: textSchema,
  title: textSchema,
  content: z.array(textBlockSchema).max(1000),
  citations: named
    .looseObject('AnthropicSearchCitations', { enabled: z.boolean().nullish() })
    .nullish(),
});

const readableBlocks = [
  textBlockSchema,
  imageBlockSchema,
  documentBlockSchema,
  searchResultBlockSchema,
] as const;
export type AnthropicReadableBlock = z.infer<(typeof readableBlocks)[number]>;

const toolResultBlockSchema = named.looseObject('AnthropicToolResultParam', {
  type: z.literal('tool_result'),
  tool_use_id: idSchema,
  content: named
    .union('AnthropicToolResultContent', [
      textSchema,
      z
        .array(named.discriminatedUnion('AnthropicToolResultPart', 'type', readableBlocks))
        .max(1000),
    ])
    .nullish(),
  is_error: z.boolean().nullish(),
});
export type AnthropicToolResult = z.infer<typeof toolResultBlockSchema>;

const userContentSchema = named.union('AnthropicUserContent', [
  textSchema,
  z
    .array(
      named.discriminatedUnion('AnthropicUserBlock', 'type', [
        ...readableBlocks,
        toolResultBlockSchema,
      ]),
    )
    .max(1000),
]);

const assistantContentSchema = named.union('AnthropicAssistantContent', [
  textSchema,
  z
    .array(
      named.discriminatedUnion('AnthropicAssistantBlock', 'type', [
        textBlockSchema,
        named.looseObject('AnthropicThinkingParam', {
          type: z.literal('thinking'),
          thinking: textSchema,
        }),
        named.looseObject('AnthropicRedactedThinkingParam', {
          type: z.literal('redacted_thinking'),
        }),
        named.looseObject('AnthropicToolUseParam', {
          type: z.literal('tool_use'),
          id: idSchema,
          name: idSchema,
          input: jsonObjectSchema,
        }),
      ]),
    )
    .max(1000),
]);

export const textContentSchema = named.union('AnthropicTextContent', [
  textSchema,
  z.array(textBlockSchema).max(1000),
]);

export const messageParamSchema = named.discriminatedUnion('AnthropicMessageParam', 'role', [
  named.looseObject('AnthropicUserMessage', {
    role: z.literal('user'),
    content: userContentSchema,
  }),
  named.looseObject('AnthropicAssistantMessage', {
    role: z.literal('assistant'),
    content: assistantContentSchema,
  }),
  named.looseObject('AnthropicSystemMessage', {
    role: z.literal('system'),
    content: textContentSchema,
  }),
]);
export type AnthropicMessageParam = z.infer<typeof messageParamSchema>;
