import * as z from 'zod';
import { outputItemSchema, type OutputItem } from '../contract/v1/chat.ts';

/** What only a later turn needs of a call, to put the same prompt together again. */
const callPlaceSchema = z.object({
  /** Number of the generation that made the call, from 0. */
  round: z.int().optional(),
  /** The tool as the model named it. */
  offered_name: z.string().optional(),
});

/** An item of the output as it is stored. */
export type StoredOutputItem = OutputItem & z.infer<typeof callPlaceSchema>;

/** The item as the API shows it. */
export function toOutputItem(item: StoredOutputItem): OutputItem {
  return outputItemSchema.parse(item);
}

/** @throws ZodError where the store holds something else. */
export function readStoredOutput(values: readonly unknown[]): readonly StoredOutputItem[] {
  return values.map((value) => ({
    ...outputItemSchema.parse(value),
    ...callPlaceSchema.parse(value),
  }));
}
