import type * as completion from '../../../src/api/openai/chat/chat-completion-schema.ts';
import type * as embedding from '../../../src/api/openai/embeddings/embedding-schema.ts';
import type * as catalog from '../../../src/api/v1/models/catalog-schema.ts';
import type * as chat from '../../../src/api/v1/chat/chat-event-schema.ts';
import type * as conversation from '../../../src/api/v1/conversations/conversation-schema.ts';
import type * as conversationExport from '../../../src/api/v1/conversations/conversation-export-schema.ts';
import type * as document from '../../../src/api/v1/documents/document-schema.ts';
import type * as conversationImports from '../../../src/api/v1/conversations/conversation-import-schema.ts';
import type * as project from '../../../src/api/v1/projects/project-schema.ts';
import type * as download from '../../../src/api/v1/downloads/download-schema.ts';
import type * as link from '../../../src/api/v1/links/link-schema.ts';
import type * as model from '../../../src/api/v1/models/model-schema.ts';
import type * as speech from '../../../src/api/v1/speech/speech-schema.ts';
import type * as speechScript from '../../../src/api/v1/tools/speech-script-schema.ts';
import type * as storedResponse from '../../../src/api/v1/responses/stored-response-schema.ts';
import type * as toolApproval from '../../../src/api/v1/tools/tool-approval-schema.ts';
import type * as token from '../../../src/api/v1/tokens/token-schema.ts';
import type * as hubRepository from '../../../src/api/v1/downloads/hub-repository-schema.ts';
import type * as mcpServer from '../../../src/api/v1/tools/mcp-server-schema.ts';
import type * as modelDetails from '../../../src/api/v1/models/model-details-schema.ts';
import type * as modelSettings from '../../../src/api/v1/models/model-settings-schema.ts';
import type * as modelImport from '../../../src/api/v1/models/model-import-schema.ts';
import type * as request from '../../../src/api/v1/server/request-schema.ts';
import type * as preset from '../../../src/api/v1/presets/preset-schema.ts';
import type * as prompt from '../../../src/api/v1/presets/prompt-schema.ts';
import type * as runtime from '../../../src/api/v1/server/runtime-schema.ts';
import type * as usage from '../../../src/api/v1/tokens/usage-schema.ts';
import type * as session from '../../../src/api/v1/tokens/session-schema.ts';
import type * as setting from '../../../src/api/v1/server/setting-schema.ts';
import type * as server from '../../../src/api/v1/server/status-schema.ts';
import type { Route } from '../../../src/api/kit/route.ts';
import type * as z from 'zod';

/** The route declarations that the app uses. Add a line for each new file `*-schema.ts` of `src/api/v1/`. */
type Modules = [
  typeof catalog,
  typeof chat,
  typeof completion,
  typeof conversation,
  typeof conversationExport,
  typeof document,
  typeof conversationImports,
  typeof project,
  typeof download,
  typeof embedding,
  typeof link,
  typeof model,
  typeof speech,
  typeof speechScript,
  typeof storedResponse,
  typeof token,
  typeof toolApproval,
  typeof hubRepository,
  typeof mcpServer,
  typeof modelDetails,
  typeof modelImport,
  typeof modelSettings,
  typeof preset,
  typeof prompt,
  typeof request,
  typeof runtime,
  typeof session,
  typeof usage,
  typeof setting,
  typeof server,
];

type RoutesOf<Module> = Module extends unknown ? Extract<Module[keyof Module], Route> : never;
/** Every endpoint that the app may call, as a union of declarations. Only their types are imported. */
export type ApiRoute = RoutesOf<Modules[number]>;

export type Method = ApiRoute['method'];
export type PathOf<M extends Method> = Extract<ApiRoute, { method: M }>['path'];
export type RouteOf<M extends Method, P extends string> = Extract<ApiRoute, { method: M; path: P }>;

type SchemaInput<Schema> = Schema extends z.ZodType ? z.input<Schema> : never;

/** The parts of a request, as the route declares them. */
export type RequestParts<R> = R extends Route
  ? Readonly<
      (R extends { params: infer Params } ? { params: SchemaInput<Params> } : object) &
        (R extends { query: infer Query } ? { query?: SchemaInput<Query> } : object) &
        (R extends { body: infer Body } ? { body: SchemaInput<Body> } : object) &
        (R extends { upload: object } ? { body: Blob } : object)
    >
  : never;
export type ResultOf<R> = R extends { result: infer Result }
  ? Result extends z.ZodType
    ? z.output<Result>
    : never
  : never;
