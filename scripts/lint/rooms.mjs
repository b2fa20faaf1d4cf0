/**
 * The rooms of `src/`, bottom to top, and what each may import. A room may import only rooms that stand above
 * it in this list, so cycles cannot be declared; a folder that is not listed fails the lint.
 * `ARCHITECTURE.md` shows this table (`npm run generate`).
 */
export const rooms = [
  {
    name: 'contract',
    purpose:
      'Wire schemas (plain zod), route declarations and the error table. Shared by server, CLI and clients.',
    imports: [],
  },
  {
    name: 'observability',
    purpose:
      'The log, events of the server, the record of each request, metrics and traces. The other rooms publish, these listen.',
    imports: [],
  },
  {
    name: 'request',
    purpose: 'The request context: id, logger, caller, abort signal.',
    imports: ['contract', 'observability'],
  },
  {
    name: 'concurrency',
    purpose: 'Mutex, single flight, queues, task groups, channels, abort forwarding: each once.',
    imports: [],
  },
  {
    name: 'machine',
    purpose:
      'Memory and processors of this machine: pure decisions on what each operating system reports.',
    imports: [],
  },
  {
    name: 'processes',
    purpose: 'Child processes: spawn, environment filter, stop, watchdog, tail of stderr.',
    imports: ['observability', 'concurrency'],
  },
  {
    name: 'net',
    purpose: 'All outbound HTTP: address policy, redirects, limits.',
    imports: ['contract', 'observability', 'concurrency'],
  },
  {
    name: 'conversation',
    purpose:
      'Conversation items that chat produces and the store keeps, and their versioned codec.',
    imports: ['contract'],
  },
  { name: 'config', purpose: 'Settings: table, file, environment, flags.', imports: [] },
  {
    name: 'home',
    purpose: 'The home folder: its lock and the record of the running server.',
    imports: [],
  },
  {
    name: 'speech-script',
    purpose: 'Formats text as a script for speech synthesizers. Pure functions.',
    imports: ['contract'],
  },
  {
    name: 'models',
    purpose: 'The model library on disk; `gguf/` reads model headers within fixed limits.',
    imports: ['contract', 'observability', 'concurrency'],
  },
  {
    name: 'engines',
    purpose:
      'Everything between a model and its tokens: loads, slots, saved states, `backends/` that speak to engines, `launch/` and `runtimes/` of their processes.',
    imports: [
      'contract',
      'observability',
      'request',
      'concurrency',
      'machine',
      'processes',
      'net',
      'models',
    ],
  },
  {
    name: 'hub',
    purpose: 'Model hubs: references, repositories, choice of files, the built-in catalog.',
    imports: ['contract', 'concurrency', 'net', 'models'],
  },
  {
    name: 'store',
    purpose: 'Repositories on SQLite and PostgreSQL: responses, images, downloads, tokens.',
    imports: ['contract', 'observability', 'concurrency', 'conversation'],
  },
  {
    name: 'object-storage',
    purpose: 'Images of conversations in a bucket of S3, beside the database.',
    imports: ['contract', 'net', 'store'],
  },
  {
    name: 'batches',
    purpose: 'Batches: files of requests that run behind all others, and their results.',
    imports: ['contract', 'observability', 'concurrency', 'store'],
  },
  {
    name: 'access',
    purpose: 'API tokens and permissions.',
    imports: ['contract', 'request', 'store'],
  },
  {
    name: 'downloads',
    purpose: 'Download jobs: transfer, resume, verification, publishing into the library.',
    imports: [
      'contract',
      'observability',
      'request',
      'concurrency',
      'net',
      'models',
      'hub',
      'store',
    ],
  },
  {
    name: 'tools',
    purpose: 'MCP plugins, ephemeral MCP servers and built-in tools.',
    imports: [
      'contract',
      'observability',
      'request',
      'concurrency',
      'processes',
      'net',
      'conversation',
      'speech-script',
    ],
  },
  {
    name: 'chat',
    purpose: 'Turns, completions and embeddings.',
    imports: [
      'contract',
      'observability',
      'request',
      'concurrency',
      'conversation',
      'engines',
      'models',
      'store',
      'tools',
    ],
  },
  {
    name: 'background',
    purpose:
      'Turns that outlive their request: events to replay and follow, also from other servers of the database, cancellation.',
    imports: [
      'contract',
      'observability',
      'request',
      'concurrency',
      'conversation',
      'store',
      'chat',
    ],
  },
  {
    name: 'http',
    purpose:
      'Application, guards, validation, server-sent events; `surfaces/` has a folder per API.',
    imports: [
      'contract',
      'observability',
      'request',
      'concurrency',
      'conversation',
      'config',
      'speech-script',
      'engines',
      'models',
      'hub',
      'store',
      'access',
      'downloads',
      'tools',
      'chat',
      'background',
      'batches',
    ],
  },
  {
    name: 'composition',
    purpose:
      'Parts of the composition root: the database, the pool, the remote servers, the tool servers, batches, what servers share and the listening sockets, from the settings.',
    imports: [
      'observability',
      'machine',
      'config',
      'engines',
      'models',
      'store',
      'object-storage',
      'access',
      'tools',
      'background',
      'batches',
      'http',
    ],
  },
  {
    name: 'serve.ts',
    purpose: 'The composition root: constructs every service and starts the server.',
    imports: [
      'contract',
      'observability',
      'machine',
      'processes',
      'net',
      'config',
      'home',
      'engines',
      'models',
      'hub',
      'store',
      'access',
      'downloads',
      'tools',
      'background',
      'http',
      'composition',
    ],
  },
  {
    name: 'cli',
    purpose: 'Commands, one file each. They talk to the server through the client of the contract.',
    imports: [
      'contract',
      'observability',
      'concurrency',
      'net',
      'config',
      'home',
      'speech-script',
      'engines',
      'models',
      'store',
      'object-storage',
      'access',
      'tools',
      'serve.ts',
    ],
  },
  {
    name: 'index.ts',
    purpose: 'The public API of the npm package.',
    imports: ['contract', 'speech-script', 'serve.ts'],
  },
  {
    name: 'reference.ts',
    purpose: 'Renders the generated files of `docs/`; not part of the package.',
    imports: ['contract', 'http', 'serve.ts'],
  },
];

/** Files in `src/` that every room may import; they import no room. */
export const sharedFiles = [
  'create-private-folder.ts',
  'error-code.ts',
  'file-lock.ts',
  'format.ts',
  'json-document.ts',
  'nearest.ts',
  'nested-deeper.ts',
  'omit-undefined.ts',
  'package-folder.ts',
  'postgres-url.ts',
  'printable.ts',
  'private-file.ts',
  'random-bytes.ts',
  'rename-with-retry.ts',
  'sqlite.ts',
  'user-home.ts',
  'version.ts',
];

/** Packages that only some rooms may import; all others are open to every room. */
export const packageOwners = {
  hono: ['http', 'reference.ts'],
  '@fastify/busboy': ['http'],
  '@hono/node-server': ['http'],
  undici: ['net'],
  '@photostructure/sqlite': ['sqlite.ts'],
  kysely: ['store'],
  pg: ['store'],
  commander: ['cli'],
  'cli-progress': ['cli'],
  'cross-spawn': ['processes'],
  '@modelcontextprotocol/client': ['tools'],
  '@huggingface/hub': ['hub'],
  pino: ['observability'],
  'prom-client': ['observability'],
  '@opentelemetry/api': ['observability'],
  '@opentelemetry/sdk-trace-base': ['observability'],
  '@opentelemetry/exporter-trace-otlp-http': ['observability'],
  '@opentelemetry/resources': ['observability'],
};

/** Imports from before the table that still have to go; an entry without such an import fails the lint. */
export const pendingImports = [];
