import { mount, type ApiRoutes } from '../kit/mount.ts';
import { formatSpeechScript } from '../../speech/script/format-speech-script.ts';
import type { ApiServices } from '../services.ts';
import { mountAdapters } from './models/adapters.ts';
import { mountBlobs } from './conversations/blobs.ts';
import { mountModelSettings } from './models/model-settings.ts';
import { mountCatalogSource } from './models/catalog-source.ts';
import { mountCatalog } from './models/catalog.ts';
import { mountChat } from './chat/chat.ts';
import { mountConversationExport } from './conversations/conversation-export.ts';
import { mountConversationImports } from './conversations/imports/imports.ts';
import { mountConversations } from './conversations/conversations.ts';
import { mountDocuments } from './documents/documents.ts';
import { mountDownloads } from './downloads/downloads.ts';
import { v1Errors } from './errors.ts';
import { mountEvents } from './server/events.ts';
import { mountHubRepository } from './downloads/hub-repository.ts';
import { mountModelDetails } from './models/model-details.ts';
import { mountModelImport } from './models/model-import.ts';
import { mountMcpServers } from './tools/mcp-servers.ts';
import { mountLinks } from './links/links.ts';
import { mountLogs } from './server/logs.ts';
import { mountModels } from './models/models.ts';
import { mountPresets } from './presets/named-records.ts';
import { mountProjects } from './projects/projects.ts';
import { mountRequests } from './server/requests.ts';
import { mountResponses } from './responses/responses.ts';
import { mountRuntimes } from './server/runtimes.ts';
import { mountSessions } from './tokens/sessions.ts';
import { mountSettings } from './server/settings.ts';
import { mountSpeech } from './speech/speech.ts';
import { createSpeechScript } from './tools/speech-script-schema.ts';
import { mountStatus, mountStopServer } from './server/status.ts';
import { mountToolApprovals } from './tools/tool-approvals.ts';
import { mountTokens } from './tokens/tokens.ts';
import { mountUsage } from './tokens/usage.ts';

/** `/api/v1`: stored conversations, typed events, and control over loaded models. */
export function createV1Api(services: ApiServices): ApiRoutes {
  return {
    name: 'v1',
    description: 'Stateful: the server stores conversations, loads and unloads models.',
    errorSerializer: v1Errors,
    mountRoutes: (app) => {
      // Mounted before the models, since `models/{model...}` matches every path below `models/`.
      mountDownloads(app, services);
      mountCatalog(app, services);
      mountCatalogSource(app, services);
      mountModelSettings(app, services);
      mountModelDetails(app, services);
      mountHubRepository(app, services);
      mountModelImport(app, services);
      mountModels(app, services);
      mountAdapters(app, services);
      mountChat(app, services);
      mountResponses(app, services);
      mountConversations(app, services);
      mountConversationExport(app, services);
      mountConversationImports(app, services);
      mountBlobs(app, services);
      mountDocuments(app, services);
      mountPresets(app, services);
      mountProjects(app, services);
      mount(app, createSpeechScript, async ({ body }) => formatSpeechScript(body));
      mountSpeech(app, services);
      mountStatus(app, services);
      mountStopServer(app, services);
      mountTokens(app, services);
      mountUsage(app, services);
      mountEvents(app, services);
      mountLogs(app, services);
      mountRequests(app, services.requestLog);
      mountSessions(app, services);
      mountLinks(app, services);
      mountSettings(app, services);
      mountMcpServers(app, services);
      mountToolApprovals(app, services);
      mountRuntimes(app, services);
    },
  };
}
