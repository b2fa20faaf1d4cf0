import type { Surface } from '../../surface.ts';
import type { SurfaceServices } from '../services.ts';
import { mountBlobs } from './blobs.ts';
import { mountCatalog } from './catalog.ts';
import { mountChat } from './chat.ts';
import { mountConversationExport } from './conversation-export.ts';
import { mountConversations } from './conversations.ts';
import { mountDownloads } from './downloads.ts';
import { v1Errors } from './errors.ts';
import { mountEvents } from './events.ts';
import { mountHubRepository } from './hub-repository.ts';
import { mountModelDetails } from './model-details.ts';
import { mountModelImport } from './model-import.ts';
import { mountMcpServers } from './mcp-servers.ts';
import { mountLogs } from './logs.ts';
import { mountModels } from './models.ts';
import { mountRequests } from './requests.ts';
import { mountResponses } from './responses.ts';
import { mountRuntimes } from './runtimes.ts';
import { mountSessions } from './sessions.ts';
import { mountSettings } from './settings.ts';
import { mountSpeechScript } from './speech-script.ts';
import { mountStatus } from './status.ts';
import { mountStopServer } from './stop-server.ts';
import { mountTokens } from './tokens.ts';

/** `/api/v1`: conversations stored on the server, typed events, models loaded and unloaded. */
export function createV1Surface(services: SurfaceServices): Surface {
  return {
    name: 'v1',
    description: 'Stateful: the server stores conversations, loads and unloads models.',
    prefixes: ['/api/v1'],
    errorSerializer: v1Errors,
    mountRoutes: (app) => {
      // Before the models: `models/{model...}` matches every path below `models/`.
      mountDownloads(app, services);
      mountCatalog(app, services);
      mountModelDetails(app, services);
      mountHubRepository(app, services);
      mountModelImport(app, services);
      mountModels(app, services);
      mountChat(app, services);
      mountResponses(app, services);
      mountConversations(app, services);
      mountConversationExport(app, services);
      mountBlobs(app, services);
      mountSpeechScript(app);
      mountStatus(app, services);
      mountStopServer(app, services);
      mountTokens(app, services);
      mountEvents(app, services);
      mountLogs(app, services);
      mountRequests(app, services.requestLog);
      mountSessions(app, services);
      mountSettings(app, services);
      mountMcpServers(app, services);
      mountRuntimes(app, services);
    },
  };
}
