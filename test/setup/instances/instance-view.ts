import type { InstanceView } from '../../../src/engines/loads/policy/instance-view.ts';

/** A view of an idle just-in-time instance, for the scheduler's policies. */
export function instanceView(changes: Partial<InstanceView> = {}): InstanceView {
  return {
    id: 'a/b',
    modelKey: 'a/b',
    variantId: 'q8_0',
    purpose: 'generation',
    contextLength: 4096,
    parallel: 1,
    adapterIds: [],
    appliesAdapters: false,
    state: 'ready',
    isExplicit: false,
    isPinned: false,
    requestCount: 0,
    lastUsedAt: 0,
    needsMemory: true,
    estimatedBytes: 10,
    gpuBytes: new Map(),
    mappedBytes: 0,
    recentPrompts: [],
    ...changes,
  };
}
