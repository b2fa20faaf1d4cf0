import * as z from 'zod';
import { namesSchema } from '../../../kernel/field.ts';
import { permissionSchema } from '../../../kernel/permission.ts';
import { defineRoute } from '../../kit/route.ts';
import * as named from '../../kit/named.ts';

const daySchema = z.iso.date();
/** Bounds the query; no usage is older. */
const queriedDaySchema = daySchema.refine(
  (day) => day >= '2000-01-01',
  'It must not be before 2000-01-01',
);
export const usageGroups = ['day', 'model', 'token'] as const;
export type UsageGroup = (typeof usageGroups)[number];

const groupSchema = namesSchema(usageGroups).meta({
  description:
    'What there is a row for: a list of `day`, `model` and `token`, with commas between them; defaults to `day`.',
  examples: ['day,model'],
});

const exampleCounts = {
  requests: 42,
  failed_requests: 1,
  prompt_tokens: 51_200,
  cached_prompt_tokens: 38_400,
  completion_tokens: 9_300,
};

const countFields = {
  requests: z
    .int()
    .nonnegative()
    .describe('Requests that used a model; the rounds of a turn with tools are one.'),
  failed_requests: z.int().nonnegative().describe('The requests among them that failed.'),
  prompt_tokens: z
    .int()
    .nonnegative()
    .describe('Tokens of prompts, of embedded texts and of ranked documents.'),
  cached_prompt_tokens: z
    .int()
    .nonnegative()
    .describe('The prompt tokens that the engine had in its cache.'),
  completion_tokens: z.int().nonnegative().describe('Generated tokens, reasoning included.'),
};

const exampleUsage = {
  from: '2026-11-01',
  to: '2026-11-30',
  totals: exampleCounts,
  rows: [{ day: '2026-11-02', model: 'qwen/qwen2.5-0.5b-instruct', ...exampleCounts }],
};

export const getUsage = defineRoute('GET /api/v1/usage', {
  operationId: 'getUsage',
  summary: 'Read how many requests and tokens were used',
  description:
    'A token with `admin` reads the usage of all tokens, every other one its own. Requests without a token count together.',
  permission: permissionSchema.options,
  query: z.strictObject({
    from: queriedDaySchema.optional().describe('First day, UTC; 29 days before `to` if absent.'),
    to: queriedDaySchema.optional().describe('Last day, UTC; today if absent.'),
    group_by: groupSchema.optional(),
  }),
  result: named.object('Usage', [exampleUsage], {
    from: daySchema,
    to: daySchema,
    totals: named.object('UsageCounts', countFields),
    rows: z
      .array(
        named.object('UsageRow', {
          day: daySchema.optional(),
          model: z.string().optional().describe('Key of the model.'),
          token_id: z
            .string()
            .nullable()
            .optional()
            .describe(
              '`owner` for the owner of the home folder; null for requests without a token.',
            ),
          token_name: z
            .string()
            .nullable()
            .optional()
            .describe('null if the token was revoked, and for requests without one.'),
          ...countFields,
        }),
      )
      .describe(
        'A row for each combination that was used, in the order of day, model and token; only with the fields of `group_by`.',
      ),
  }),
  errors: ['unrecognized_keys', 'store_unavailable'],
});
