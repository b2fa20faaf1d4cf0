/**
 * The modules of `src/`, from bottom to top. A module may import only the public files of modules that it names and
 * that are above it in this list. A folder that is not listed fails the lint. `ARCHITECTURE.md` and the README of each
 * module show this table (`npm run generate`). `publicFiles`: paths inside the module; a path that ends with `/` is a
 * folder, `*` matches any characters except `/`.
 */
export const modules = [
  {
    name: 'kernel',
    purpose:
      'What all modules share: errors, permissions, concurrency, the context and record of a request, events, small helpers.',
    publicFiles: ['*.ts', 'concurrency/', 'errors/', 'events/', 'request/'],
    imports: [],
  },
  {
    name: 'platform',
    purpose:
      'This machine: memory, processors, GPUs, child processes, private files and locks, outbound HTTP, the home folder.',
    publicFiles: ['sqlite.ts', 'files/', 'home/', 'machine/', 'net/', 'processes/'],
    imports: ['kernel'],
  },
  {
    name: 'settings',
    purpose: 'Table of the settings; file, environment, flags and changes while the server runs.',
    publicFiles: ['*.ts'],
    imports: ['kernel', 'platform'],
  },
  {
    name: 'store',
    purpose:
      'Repositories on SQLite and PostgreSQL: responses, conversations, images, downloads, batches, tokens.',
    publicFiles: [
      '*.ts',
      'batches/batch.ts',
      'blobs/object-storage.ts',
      'conversations/conversation.ts',
      'postgres/inspect-database.ts',
      's3/open-object-storage.ts',
      'shared/',
      'tables/',
      'turns/',
      'vector-stores/vector-store.ts',
    ],
    imports: ['kernel', 'platform'],
  },
  {
    name: 'library',
    purpose:
      'Models on disk: scan, headers (`gguf/`), import and removal; model hubs and the catalog (`hub/`), download jobs (`downloads/`).',
    publicFiles: ['*.ts', 'downloads/*.ts', 'hub/*.ts', 'import/*.ts', 'ollama/find-model.ts'],
    imports: ['kernel', 'platform', 'store'],
  },
  {
    name: 'engines',
    purpose:
      'Everything between a model and its tokens: sessions, loads, scheduler, states of slots; backends, runtimes and processes of engines.',
    publicFiles: [
      'engine.ts',
      'engines.ts',
      'fold-seed.ts',
      'session.ts',
      'session-event.ts',
      'backends/new-call-id.ts',
      'backends/remote/speech-server.ts',
      'backends/remote/upstream*.ts',
      'launch/child-environment.ts',
      'launch/engine-launcher.ts',
      'loads/*.ts',
      'loads/policy/choose-instance.ts',
      'loads/policy/choose-sizes.ts',
      'placement/place-model.ts',
      'runtimes/*.ts',
      'states/prefix-hash.ts',
      'states/state-cache.ts',
    ],
    imports: ['kernel', 'platform', 'library'],
  },
  {
    name: 'access',
    purpose:
      'API tokens, sessions of the web app, limits and usage of tokens; links between machines of a home (`links/`).',
    publicFiles: ['*.ts', 'links/link-file.ts', 'links/link-identity.ts', 'links/links.ts'],
    imports: ['kernel', 'platform', 'store'],
  },
  {
    name: 'speech',
    purpose:
      'Formats text as a script for speech synthesizers (`script/`), and speaks scripts part by part.',
    publicFiles: [
      'speak-script.ts',
      'script/format-speech-script.ts',
      'script/schema.ts',
      'script/speech-script.ts',
    ],
    imports: ['kernel'],
  },
  {
    name: 'tools',
    purpose: 'MCP plugins, ephemeral MCP servers and built-in tools.',
    publicFiles: ['*.ts'],
    imports: ['kernel', 'platform', 'speech', 'store'],
  },
  {
    name: 'chat',
    purpose:
      'Turns, completions, embeddings, reranking; turns that outlive their request (`background/`), batches; reads audio (`audio/`) and documents, and searches documents by meaning and words (`documents/`).',
    publicFiles: [
      '*.ts',
      'audio/audio-reader.ts',
      'audio/forward-audio.ts',
      'audio/transcribe.ts',
      'background/*.ts',
      'batches/*.ts',
      'documents/read/document-reader.ts',
      'documents/search/indexer.ts',
      'documents/search/project-files.ts',
      'documents/search/vector-stores.ts',
    ],
    imports: ['kernel', 'store', 'library', 'engines', 'tools'],
  },
  {
    name: 'telemetry',
    purpose:
      'The log, the latest requests, metrics and traces. Listens to the events of the modules above, which do not know it.',
    publicFiles: ['*.ts', 'metrics/server-metrics.ts'],
    imports: ['kernel'],
  },
  {
    name: 'api',
    purpose:
      'A folder for each API with its schemas, routes and mapping: `v1`, `openai` (with `v0`), `anthropic`, `ollama`, `mcp`, `monitoring`; `kit` has what they share.',
    publicFiles: [
      'apis.ts',
      'services.ts',
      'kit/',
      'monitoring/*.ts',
      'openai/batches/send-request.ts',
      'v1/server/create-event-feed.ts',
      // Only zod schemas, which the command-line tool and the web app import.
      '*/*-schema.ts',
      '*/*/*-schema.ts',
    ],
    imports: [
      'kernel',
      'settings',
      'store',
      'library',
      'engines',
      'access',
      'speech',
      'tools',
      'chat',
      'telemetry',
    ],
  },
  {
    name: 'server',
    purpose:
      'The composition root: makes every service from the settings, listens, serves the web app. `offline/` opens a home folder without a server.',
    publicFiles: ['serve.ts', 'reference.ts', 'offline/'],
    imports: [
      'kernel',
      'platform',
      'settings',
      'store',
      'library',
      'engines',
      'access',
      'tools',
      'chat',
      'telemetry',
      'api',
    ],
  },
  {
    name: 'cli',
    purpose:
      'Commands. They talk to the server through the client of v1, or open a home folder with `server/offline/`.',
    publicFiles: [],
    // `speech` formats scripts: pure functions.
    imports: ['kernel', 'platform', 'settings', 'speech', 'api', 'server'],
  },
  {
    name: 'index.ts',
    purpose: 'The public API of the npm package.',
    publicFiles: [],
    imports: ['kernel', 'speech', 'server'],
  },
];

/** Packages that only some modules may import; every module may import all other packages. */
export const packageOwners = {
  hono: ['api', 'server'],
  '@fastify/busboy': ['api'],
  '@hono/node-server': ['server'],
  htmlparser2: ['chat'],
  undici: ['platform'],
  '@photostructure/sqlite': ['platform'],
  kysely: ['store'],
  pg: ['store'],
  commander: ['cli'],
  'cli-progress': ['cli'],
  'cross-spawn': ['platform'],
  '@modelcontextprotocol/client': ['tools'],
  '@modelcontextprotocol/server': ['api', 'cli'],
  '@huggingface/hub': ['library'],
  '@huggingface/jinja': ['library'],
  // Only the type of the logger.
  pino: ['kernel', 'telemetry'],
  'prom-client': ['telemetry'],
  '@opentelemetry/api': ['telemetry'],
  '@opentelemetry/sdk-trace-base': ['telemetry'],
  '@opentelemetry/exporter-trace-otlp-http': ['telemetry'],
  '@opentelemetry/resources': ['telemetry'],
};
