import * as z from 'zod';
import { textSchema } from '../../kernel/field.ts';

/** Content blocks of messages that clients send. All of them may have `cache_control`, which is ignored. */

const idSchema = z.string().min(1).max(512);
export const jsonObjectSchema = z.record(z.string(), z.unknown());

export const textBlockSchema = z
  .looseObject({ type: z.literal('text'), text: textSchema })
  .meta({ id: 'AnthropicTextParam' });

const imageBlockSchema = z
  .looseObject({
    type: z.literal('image'),
    source: z
      .discriminatedUnion('type', [
        z
          .looseObject({
            type: z.literal('base64'),
            media_type: z.enum(['image/jpeg', 'image/png', 'image/gif', 'image/webp']),
            data: textSchema,
          })
          .meta({ id: 'AnthropicBase64Image' }),
        z.looseObject({ type: z.literal('url'), url: textSchema }).meta({
          id: 'AnthropicUrlImage',
          description:
            'An http or https URL if `images.urlHosts` allows it, or a base64 `data:` URL.',
        }),
      ])
      .meta({ id: 'AnthropicImageSource' }),
  })
  .meta({ id: 'AnthropicImageParam' });

const documentBlockSchema = z
  .looseObject({
    type: z.literal('document'),
    source: z
      .discriminatedUnion('type', [
        z
          .looseObject({ type: z.literal('text'), data: textSchema })
          .meta({ id: 'AnthropicTextDocument' }),
        z
          .looseObject({
            type: z.literal('base64'),
            media_type: z.string().max(256).nullish().describe('The content decides.'),
            data: textSchema.describe('A document, such as a PDF or .docx, in base64.'),
          })
          .meta({ id: 'AnthropicBase64Document' }),
        z
          .looseObject({
            type: z.literal('file'),
            file_id: idSchema.describe('A file of `POST /v1/files`.'),
          })
          .meta({ id: 'AnthropicFileDocument' }),
        z
          .looseObject({
            type: z.literal('content'),
            content: z
              .union([
                textSchema,
                z
                  .array(
                    z
                      .discriminatedUnion('type', [textBlockSchema, imageBlockSchema])
                      .meta({ id: 'AnthropicDocumentPart' }),
                  )
                  .max(1000),
              ])
              .meta({ id: 'AnthropicDocumentContent' }),
          })
          .meta({ id: 'AnthropicContentDocument' }),
      ])
      .meta({ id: 'AnthropicDocumentSource' }),
    title: textSchema.nullish(),
    context: textSchema.nullish(),
    citations: z
      .looseObject({ enabled: z.boolean().nullish() })
      .meta({ id: 'AnthropicCitations' })
      .nullish(),
  })
  .meta({ id: 'AnthropicDocumentParam' });

const searchResultBlockSchema = z
  .looseObject({
    type: z.literal('search_result'),
    source: textSchema,
    title: textSchema,
    content: z.array(textBlockSchema).max(1000),
    citations: z
      .looseObject({ enabled: z.boolean().nullish() })
      .meta({ id: 'AnthropicSearchCitations' })
      .nullish(),
  })
  .meta({ id: 'AnthropicSearchResultParam' });

const readableBlocks = [
  textBlockSchema,
  imageBlockSchema,
  documentBlockSchema,
  searchResultBlockSchema,
] as const;
export type AnthropicReadableBlock = z.infer<(typeof readableBlocks)[number]>;

const toolResultBlockSchema = z
  .looseObject({
    type: z.literal('tool_result'),
    tool_use_id: idSchema,
    content: z
      .union([
        textSchema,
        z
          .array(
            z.discriminatedUnion('type', readableBlocks).meta({ id: 'AnthropicToolResultPart' }),
          )
          .max(1000),
      ])
      .meta({ id: 'AnthropicToolResultContent' })
      .nullish(),
    is_error: z.boolean().nullish(),
  })
  .meta({ id: 'AnthropicToolResultParam' });
export type AnthropicToolResult = z.infer<typeof toolResultBlockSchema>;

const userContentSchema = z
  .union([
    textSchema,
    z
      .array(
        z
          .discriminatedUnion('type', [...readableBlocks, toolResultBlockSchema])
          .meta({ id: 'AnthropicUserBlock' }),
      )
      .max(1000),
  ])
  .meta({ id: 'AnthropicUserContent' });

const assistantContentSchema = z
  .union([
    textSchema,
    z
      .array(
        z
          .discriminatedUnion('type', [
            textBlockSchema,
            z
              .looseObject({ type: z.literal('thinking'), thinking: textSchema })
              .meta({ id: 'AnthropicThinkingParam' }),
            z
              .looseObject({ type: z.literal('redacted_thinking') })
              .meta({ id: 'AnthropicRedactedThinkingParam' }),
            z
              .looseObject({
                type: z.literal('tool_use'),
                id: idSchema,
                name: idSchema,
                input: jsonObjectSchema,
              })
              .meta({ id: 'AnthropicToolUseParam' }),
          ])
          .meta({ id: 'AnthropicAssistantBlock' }),
      )
      .max(1000),
  ])
  .meta({ id: 'AnthropicAssistantContent' });

export const textContentSchema = z
  .union([textSchema, z.array(textBlockSchema).max(1000)])
  .meta({ id: 'AnthropicTextContent' });

export const messageParamSchema = z
  .discriminatedUnion('role', [
    z
      .looseObject({ role: z.literal('user'), content: userContentSchema })
      .meta({ id: 'AnthropicUserMessage' }),
    z
      .looseObject({ role: z.literal('assistant'), content: assistantContentSchema })
      .meta({ id: 'AnthropicAssistantMessage' }),
    z
      .looseObject({ role: z.literal('system'), content: textContentSchema })
      .meta({ id: 'AnthropicSystemMessage' }),
  ])
  .meta({ id: 'AnthropicMessageParam' });
export type AnthropicMessageParam = z.infer<typeof messageParamSchema>;
