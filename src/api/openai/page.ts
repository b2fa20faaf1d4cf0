import * as z from 'zod';
import * as named from '../kit/named.ts';

export const exampleItem = {
  id: 'msg_6b2f0c9e4d7a1f3852c6e0b94a7d1f386c5e2b0a9d4f7c13_in0',
  type: 'message',
  role: 'user',
  status: 'completed',
  content: [{ type: 'input_text', text: 'Write a haiku about the sea.' }],
};

export const storedItemSchema = z
  .looseObject({ id: z.string(), type: z.string() })
  .meta({ id: 'OpenAiStoredItem', examples: [exampleItem] });
export type OpenAiStoredItem = z.infer<typeof storedItemSchema>;

/** A page of items. */
export const itemPageQuerySchema = z.object({
  limit: z.coerce.number().int().min(1).max(100).default(20),
  order: z.enum(['asc', 'desc']).default('desc'),
  after: z.string().max(512).optional().describe('Id of the last item of the page before.'),
});

/** Declares a page of a list; its example is a page with the example of the items. */
export function pageSchema<Item extends z.ZodObject<{ id: z.ZodString }>>(id: string, item: Item) {
  const examples = item.meta()?.['examples'] as readonly z.output<Item>[];
  return named.object(id, [toPage(examples, false)], {
    object: z.literal('list'),
    first_id: z.string().nullable(),
    last_id: z.string().nullable(),
    has_more: z.boolean(),
    data: z.array(item),
  });
}

export const itemListSchema = pageSchema('OpenAiItemList', storedItemSchema);

/** Declares the result of a deletion. */
export const deletedSchema = <Name extends string>(id: string, object: Name, exampleId: string) =>
  named.object(id, [{ id: exampleId, object, deleted: true }], {
    id: z.string(),
    object: z.literal(object),
    deleted: z.literal(true),
  });

/** A page of a list. */
export function toPage<Item extends { readonly id: string }>(
  data: readonly Item[],
  hasMore: boolean,
) {
  return {
    object: 'list' as const,
    data: [...data],
    first_id: data.at(0)?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: hasMore,
  };
}

/** Unix time. */
export function toSeconds(time: Date): number {
  return Math.floor(time.getTime() / 1000);
}
