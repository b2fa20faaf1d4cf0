/** Names of the measurements, in the order in which they run. */
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
  // Runs late: it reloads models, which ends the engine processes of earlier measurements.
  'warm-state',
] as const;

export type MeasurementName = (typeof measurementNames)[number];
