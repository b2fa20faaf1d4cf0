import * as z from 'zod';
import type { AdapterChoice } from '../../../kernel/adapter-names.ts';
import { modelIdentifierSchema } from '../../../kernel/field.ts';
import { defineRoute } from '../../kit/route.ts';
import * as named from '../../kit/named.ts';

const exampleAdapter = {
  key: 'local/starter-chat-pirate-lora',
  display_name: 'Starter Chat Pirate',
  architecture: 'llama',
  base_model: 'hearth/starter-chat',
  rank: 4,
  size_bytes: 92_704,
};

const adapterChoiceSchema = z
  .strictObject({
    adapter: modelIdentifierSchema.describe('Key of the adapter, or its second half.'),
    scale: z.number().min(-10).max(10).nullish().describe('Strength of its changes; 1 if absent.'),
  })
  .meta({ id: 'AdapterChoice', examples: [{ adapter: exampleAdapter.key, scale: 0.5 }] });

/** The adapters for a request or a load. */
export const adapterChoicesSchema = z.array(adapterChoiceSchema).max(8);

export function toAdapterChoices(
  choices: z.infer<typeof adapterChoicesSchema>,
): readonly AdapterChoice[] {
  return choices.map(({ adapter, scale }) => ({ name: adapter, scale: scale ?? 1 }));
}

export const adapterSchema = named.object('Adapter', [exampleAdapter], {
  key: z.string(),
  display_name: z.string(),
  architecture: z.string(),
  base_model: z
    .string()
    .nullable()
    .describe('The model for which it was trained, as its file says.'),
  rank: z.int(),
  size_bytes: z.int(),
});

export type AdapterRecord = z.infer<typeof adapterSchema>;

const exampleAdapterList = { adapters: [{ ...exampleAdapter, models: ['hearth/starter-chat'] }] };

export const listAdapters = defineRoute('GET /api/v1/adapters', {
  operationId: 'listAdapters',
  summary: 'List the adapters on disk, and the models that each fits',
  permission: 'models:read',
  result: named.object('AdapterList', [exampleAdapterList], {
    adapters: z.array(
      adapterSchema
        .extend({ models: z.array(z.string()).describe('Keys of the models that it fits.') })
        .meta({ id: 'AdapterWithModels' }),
    ),
  }),
});
