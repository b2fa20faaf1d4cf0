import { createHearthErrorSerializer, toSnakeCase } from '../kit/errors/error-serializer.ts';

export const v1Errors = createHearthErrorSerializer(nameV1Field);

/** Domain fields whose names in v1 differ from their names in snake case. */
const otherNames: Readonly<Record<string, string>> = {
  cpuExpertLayers: 'cpu_moe_layers',
  expertCount: 'num_experts',
  hasFlashAttention: 'flash_attention',
  offloadsKvCacheToGpu: 'offload_kv_cache_to_gpu',
  isStored: 'store',
};

/** `messages[0].content[2]` becomes `input[2].data_url`, `previousResponseId` becomes `previous_response_id`. */
export function nameV1Field(field: string): string {
  const name = otherNames[field];
  if (name !== undefined) return name;
  const message = /^messages(?:\[\d+\](?:\.content)?)?(\[\d+\])?(?:\.audio)?$/.exec(field);
  if (message === null) return toSnakeCase(field);
  // The domain checks only the images and audio of a message.
  return message[1] === undefined ? 'input' : `input${message[1]}.data_url`;
}
