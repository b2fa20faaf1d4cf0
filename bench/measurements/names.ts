/** In the order in which they run. */
export const measurementNames = [
  'start',
  'start-up',
  'throughput',
  'first-token',
  'defaults',
  'openai',
  'remote',
  'conversation',
  'embeddings',
  'document-search',
  'models',
  'disconnect',
  'memory',
  'short-requests',
  'own-cost',
  'downloads',
  'shared-prefix',
  'stalls',
  'speculation',
  'observability',
  // It loads models again, so that earlier engine processes end.
  'warm-state',
] as const;

export type MeasurementName = (typeof measurementNames)[number];
