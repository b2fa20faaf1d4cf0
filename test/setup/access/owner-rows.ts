import type { OwnedThing, ThingKind } from './owned-things.ts';

/** The effect of a route on a record that has an owner. */
export interface OwnerRow {
  readonly kind: ThingKind;
  /**
   * Items that were stored without a token can be read, but not changed, by all callers; except for files and batches,
   * which are hidden.
   */
  readonly effect: 'read' | 'change';
  /** Query that names the thing; absent if the path of the route does. */
  readonly query?: (thing: OwnedThing) => string;
  readonly body?: (thing: OwnedThing) => object;
  /** Expected statuses for the owner, if not 200. */
  readonly statuses?: readonly number[];
}

const chat = { model: 'hearth/starter-vision', max_output_tokens: 1 };
const ofModel = { model: 'hearth/starter-chat', max_tokens: 1 };
const input = 'Hello!';
const reference = ({ item_id: id }: OwnedThing) => [
  { type: 'item_reference', id },
  { role: 'user', content: input },
];
const messages = [{ role: 'user', content: input }];
/** Presets and prompts are hidden from other callers, even if they were stored without a token. */
const ofPreset = (body: object): OwnerRow => ({
  kind: 'preset',
  effect: 'change',
  body: ({ preset }) => ({ ...body, preset }),
});
const inOpenAiRequest: readonly OwnerRow[] = [
  ofPreset({ ...chat, input }),
  {
    kind: 'tree',
    effect: 'read',
    body: ({ response_id }) => ({ ...chat, input, previous_response_id: response_id }),
  },
  { kind: 'tree', effect: 'read', body: (thing) => ({ ...chat, input: reference(thing) }) },
  {
    kind: 'tree',
    effect: 'change',
    body: ({ conversation_id: conversation }) => ({ ...chat, input, conversation }),
  },
  {
    kind: 'vectorStore',
    effect: 'read',
    body: ({ vector_store_id: id }) => ({
      model: 'hearth/starter-chat',
      max_output_tokens: 1,
      input,
      tools: [{ type: 'file_search', vector_store_ids: [id] }],
    }),
  },
];
const read = (kind: ThingKind): readonly OwnerRow[] => [{ kind, effect: 'read' }];
const change = (kind: ThingKind, body?: object): readonly OwnerRow[] => [
  { kind, effect: 'change', ...(body !== undefined && { body: () => body }) },
];
const after = (kind: ThingKind, idName: string): readonly OwnerRow[] => [
  { kind, effect: 'change', query: (thing) => `after=${thing[idName]}` },
];

/** Routes whose requests name a thing with an owner, by `operationId`. */
export const ownerRows: Readonly<Record<string, readonly OwnerRow[]>> = {
  createChat: [
    ofPreset({ ...chat, input }),
    {
      kind: 'project',
      effect: 'change',
      body: ({ project_id }) => ({ ...chat, input, project_id }),
    },
    {
      kind: 'tree',
      effect: 'read',
      body: ({ response_id }) => ({ ...chat, input, previous_response_id: response_id }),
    },
  ],
  listConversations: [
    { kind: 'project', effect: 'change', query: ({ project_id }) => `project_id=${project_id}` },
    { kind: 'tree', effect: 'read', query: ({ response_id }) => `response_id=${response_id}` },
  ],
  listResponses: after('tree', 'response_id'),
  getResponse: read('tree'),
  deleteResponse: change('tree'),
  continueResponse: [{ kind: 'tree', effect: 'read', body: () => chat }],
  updateResponse: change('tree', { output_text: 'Another answer.' }),
  followResponse: read('background'),
  cancelResponse: change('background'),
  getConversation: read('tree'),
  updateConversation: change('tree', { title: 'A new title' }),
  deleteConversation: change('tree'),
  listConversationResponses: [
    ...read('tree'),
    { kind: 'tree', effect: 'read', query: ({ response_id }) => `leaf=${response_id}` },
    { kind: 'tree', effect: 'read', query: ({ response_id }) => `after=${response_id}` },
  ],
  exportConversation: [
    ...read('tree'),
    {
      kind: 'tree',
      effect: 'read',
      query: ({ response_id }) => `format=markdown&leaf=${response_id}`,
    },
  ],
  removeToolApproval: change('choice'),
  answerToolCall: change('call', { approved: false }),
  getBlob: read('tree'),
  getPreset: change('preset'),
  putPreset: change('preset', { temperature: 0.5, revision: 1 }),
  deletePreset: change('preset'),
  getPrompt: change('prompt'),
  putPrompt: change('prompt', { text: 'Hi', revision: 1 }),
  deletePrompt: change('prompt'),
  getProject: change('project'),
  updateProject: change('project', { name: 'Another name' }),
  deleteProject: change('project'),
  addProjectFile: change('project', { name: 'a.txt', text: 'a' }),
  getProjectFile: change('project'),
  deleteProjectFile: change('project'),
  listFilesOpenAi: after('file', 'file_id'),
  getFileOpenAi: read('file'),
  getFileContentOpenAi: read('file'),
  deleteFileOpenAi: change('file'),
  createBatchOpenAi: [
    {
      kind: 'file',
      effect: 'change',
      body: ({ file_id }) => ({
        input_file_id: file_id,
        endpoint: '/v1/chat/completions',
        completion_window: '24h',
      }),
    },
  ],
  listBatchesOpenAi: after('batch', 'batch_id'),
  getBatchOpenAi: read('batch'),
  // The batch may already have ended.
  cancelBatchOpenAi: [{ kind: 'batch', effect: 'change', statuses: [200, 409] }],
  createVectorStoreOpenAi: [
    { kind: 'document', effect: 'change', body: ({ file_id: id }) => ({ file_ids: [id] }) },
  ],
  listVectorStoresOpenAi: after('vectorStore', 'vector_store_id'),
  getVectorStoreOpenAi: read('vectorStore'),
  updateVectorStoreOpenAi: change('vectorStore', { name: 'Another name' }),
  deleteVectorStoreOpenAi: change('vectorStore'),
  searchVectorStoreOpenAi: [
    { kind: 'vectorStore', effect: 'read', body: () => ({ query: 'sea' }) },
  ],
  createVectorStoreFileOpenAi: [
    { kind: 'vectorStore', effect: 'change', body: ({ file_id: id }) => ({ file_id: id }) },
  ],
  listVectorStoreFilesOpenAi: read('vectorStore'),
  getVectorStoreFileOpenAi: read('vectorStore'),
  updateVectorStoreFileOpenAi: change('vectorStore', { attributes: { year: 2026 } }),
  deleteVectorStoreFileOpenAi: change('vectorStore'),
  getVectorStoreFileContentOpenAi: read('vectorStore'),
  createVectorStoreFileBatchOpenAi: [
    { kind: 'vectorStore', effect: 'change', body: ({ file_id: id }) => ({ file_ids: [id] }) },
  ],
  getVectorStoreFileBatchOpenAi: read('vectorStore'),
  cancelVectorStoreFileBatchOpenAi: change('vectorStore'),
  listVectorStoreFileBatchOpenAi: read('vectorStore'),
  createResponseOpenAi: inOpenAiRequest,
  countInputTokensOpenAi: inOpenAiRequest,
  getResponseOpenAi: [
    ...read('tree'),
    { kind: 'background', effect: 'read' },
    { kind: 'background', effect: 'read', query: () => 'stream=true' },
  ],
  deleteResponseOpenAi: change('tree'),
  cancelResponseOpenAi: change('background'),
  listInputItemsOpenAi: read('tree'),
  createChatCompletionOpenAi: [ofPreset({ ...ofModel, messages })],
  createCompletionOpenAi: [ofPreset({ ...ofModel, prompt: input })],
  createMessageAnthropic: [ofPreset({ ...ofModel, messages })],
  countTokensAnthropic: [ofPreset({ ...ofModel, messages })],
  createConversationOpenAi: [
    { kind: 'tree', effect: 'read', body: (thing) => ({ items: reference(thing) }) },
  ],
  getConversationOpenAi: read('tree'),
  updateConversationOpenAi: change('tree', { metadata: { project: 'sea' } }),
  deleteConversationOpenAi: change('tree'),
  listConversationItemsOpenAi: read('tree'),
  addConversationItemsOpenAi: change('tree', { items: [{ role: 'user', content: input }] }),
  getConversationItemOpenAi: read('tree'),
  deleteConversationItemOpenAi: change('tree'),
};

/** Routes that list the caller's things. */
export const ownLists: ReadonlySet<string> = new Set([
  'listResponses',
  'listConversations',
  'listToolApprovals',
  'listFilesOpenAi',
  'listBatchesOpenAi',
  'listVectorStoresOpenAi',
  'listPresets',
  'listPrompts',
  'listProjects',
]);

/** Path parameters that name a thing with an owner. */
export const ownedParameters = [
  'response_id',
  'conversation_id',
  'item_id',
  'sha256',
  'file_id',
  'batch_id',
  'vector_store_id',
  'file_batch_id',
  'call_id',
  'preset',
  'prompt',
  'project_id',
];

/** Routes for things that all callers with the permission share, and routes that create a thing for the caller. */
export const sharedRoutes: readonly string[] = [
  'getHealth',
  'getReadiness',
  'getMetrics',
  'getStatus',
  'stopServer',
  'streamLog',
  'listModelsV0',
  'getModelV0',
  'createChatCompletionV0',
  'createCompletionV0',
  'createEmbeddingV0',
  'createSpeechScript',
  'getSpeechServer',
  'createSpeech',
  'createSpeechOpenAi',
  'importConversation',
  'importConversations',
  'createProject',
  'streamEvents',
  'startDownload',
  'getDownload',
  'listDownloads',
  'pauseDownload',
  'resumeDownload',
  'cancelDownload',
  'searchCatalog',
  'getCatalog',
  'setCatalogSource',
  'refreshCatalog',
  'resetCatalog',
  'listModelSettings',
  'getModelSettings',
  'setModelSettings',
  'deleteModelSettings',
  'getHubRepository',
  'listRecommendedModels',
  'listModels',
  'listAdapters',
  'getModel',
  'getModelDetails',
  'estimateModel',
  'deleteModel',
  'loadModel',
  'unloadModel',
  'importModel',
  'uploadModelFile',
  'readDocumentText',
  'listRuntimes',
  'installRuntime',
  'selectRuntime',
  'removeRuntime',
  'listSettings',
  'changeSettings',
  'createToken',
  'changeToken',
  'listTokens',
  'moveResponses',
  'revokeToken',
  'getUsage',
  'listRequests',
  'getRequest',
  'createSessionLink',
  'createSession',
  'listSessions',
  'revokeSession',
  'revokeOtherSessions',
  'getSession',
  'createLinkOffer',
  'createLink',
  'listLinks',
  'removeLink',
  'pairMachine',
  'unpairMachine',
  'listLinkModels',
  'listMcpServers',
  'getMcpServer',
  'putMcpServer',
  'setToolApproval',
  'deleteMcpServer',
  'testMcpServer',
  'callMcpTool',
  // Its tools read the caller's things; `test/api/mcp-server.test.ts` tests them with other callers.
  'sendMcpMessage',
  'createFileOpenAi',
  'listModelsOpenAi',
  'getModelOpenAi',
  'createEmbeddingOpenAi',
  'rerank',
  'createTranscriptionOpenAi',
  'createTranslationOpenAi',
  'listModelsAnthropic',
  'getModelAnthropic',
  'versionOllama',
  'tagsOllama',
  'psOllama',
  'showOllama',
  'copyOllama',
  'deleteOllama',
  'chatOllama',
  'generateOllama',
  'embedOllama',
  'embedOneOllama',
  'pullOllama',
  'createOllama',
  'headBlobOllama',
  'pushBlobOllama',
];
