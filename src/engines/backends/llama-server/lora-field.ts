import type { AdapterScale } from '../../adapter-mix.ts';

/** The adapters of an engine, in the order of their numbers. */
export type AttachedAdapters = readonly { readonly id: string }[];

/**
 * The field `lora` of a request, which names all adapters: without it llama-server (b11549) applies the adapters of its start,
 * and continues in a slot with the cached tokens of other weights.
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
