import { measureConversation } from './conversation.ts';
import { measureDefaults } from './defaults.ts';
import { measureDisconnect } from './disconnect.ts';
import { measureDocumentSearch } from './document-search.ts';
import { measureDownloads } from './downloads.ts';
import { measureEmbeddings } from './embeddings.ts';
import { measureFirstToken } from './first-token.ts';
import type { Measurement } from './measurement.ts';
import { measureMemory } from './memory.ts';
import { measureObservability } from './observability.ts';
import { measureOpenAi } from './openai.ts';
import { measureModels } from './models.ts';
import type { MeasurementName } from './names.ts';
import { measureOwnCost } from './own-cost.ts';
import { measureRemote } from './remote.ts';
import { measureSharedPrefix } from './shared-prefix.ts';
import { measureShortRequests } from './short-requests.ts';
import { measureSpeculation } from './speculation.ts';
import { measureStalls } from './stalls.ts';
import { measureStart } from './start.ts';
import { measureStartUps } from './start-up.ts';
import { measureThroughput } from './throughput.ts';
import { measureWarmState } from './warm-state.ts';

export const measurements: Readonly<Record<MeasurementName, Measurement>> = {
  start: measureStart,
  'start-up': measureStartUps,
  throughput: measureThroughput,
  'first-token': measureFirstToken,
  defaults: measureDefaults,
  openai: measureOpenAi,
  remote: measureRemote,
  conversation: measureConversation,
  embeddings: measureEmbeddings,
  'document-search': measureDocumentSearch,
  models: measureModels,
  disconnect: measureDisconnect,
  memory: measureMemory,
  downloads: measureDownloads,
  'shared-prefix': measureSharedPrefix,
  'short-requests': measureShortRequests,
  'own-cost': measureOwnCost,
  stalls: measureStalls,
  speculation: measureSpeculation,
  observability: measureObservability,
  'warm-state': measureWarmState,
};
