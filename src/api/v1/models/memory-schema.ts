import * as z from 'zod';

export const memoryFitSchema = z.enum(['fits', 'partly', 'too_large']).meta({
  id: 'MemoryFit',
  description:
    '`fits`: a load would be accepted now, if necessary after evictions. `partly`: it needs more than the memory ' +
    'available now, but not more than this machine or `models.memoryLimitBytes` has: close other programs, unload ' +
    'models or reduce the context. `too_large`: it needs more than that.',
});
export type MemoryFit = z.infer<typeof memoryFitSchema>;

const bytesSchema = z.int().nonnegative();

/** Memory of an instance, for given load settings. */
export const memoryEstimateFields = {
  total_bytes: bytesSchema,
  weights_bytes: bytesSchema,
  kv_cache_bytes: bytesSchema,
  compute_bytes: bytesSchema,
  projector_bytes: bytesSchema,
  process_bytes: bytesSchema,
  fits: memoryFitSchema,
};

export const machineMemoryFields = {
  usable_bytes: bytesSchema.describe(
    'Memory available now, after evicting the instances that may be evicted.',
  ),
  capacity_bytes: bytesSchema.describe(
    'Memory of the machine, or `models.memoryLimitBytes` if that is less.',
  ),
};

export const exampleMemory = {
  total_bytes: 127_826_592,
  weights_bytes: 3_131_840,
  kv_cache_bytes: 75_497_472,
  compute_bytes: 4_676_608,
  projector_bytes: 0,
  process_bytes: 44_520_672,
  fits: 'fits',
} as const;
