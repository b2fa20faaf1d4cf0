import * as z from 'zod';

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

export const itemListSchema = z
  .object({
    object: z.literal('list'),
    data: z.array(storedItemSchema),
    first_id: z.string().nullable(),
    last_id: z.string().nullable(),
    has_more: z.boolean(),
  })
  .meta({
    id: 'OpenAiItemList',
    examples: [
      {
        object: 'list',
        data: [exampleItem],
        first_id: exampleItem.id,
        last_id: exampleItem.id,
        has_more: false,
      },
    ],
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
