import type * as embedding from '../../../src/contract/v0/embedding.ts';
import type * as catalog from '../../../src/contract/v1/catalog.ts';
import type * as chat from '../../../src/contract/v1/chat-event.ts';
import type * as conversation from '../../../src/contract/v1/conversation.ts';
import type * as conversationExport from '../../../src/contract/v1/conversation-export.ts';
import type * as download from '../../../src/contract/v1/download.ts';
import type * as model from '../../../src/contract/v1/model.ts';
import type * as speechScript from '../../../src/contract/v1/speech-script.ts';
import type * as storedResponse from '../../../src/contract/v1/stored-response.ts';
import type * as token from '../../../src/contract/v1/token.ts';
import type * as hubRepository from '../../../src/contract/v1/hub-repository.ts';
import type * as mcpServer from '../../../src/contract/v1/mcp-server.ts';
import type * as modelDetails from '../../../src/contract/v1/model-details.ts';
import type * as modelImport from '../../../src/contract/v1/model-import.ts';
import type * as request from '../../../src/contract/v1/request.ts';
import type * as runtime from '../../../src/contract/v1/runtime.ts';
import type * as session from '../../../src/contract/v1/session.ts';
import type * as setting from '../../../src/contract/v1/setting.ts';
import type * as server from '../../../src/contract/server/server.ts';
import type { Route } from '../../../src/contract/route.ts';
import type * as z from 'zod';

/** The declarations of the contract that the app uses. A new module of `src/contract/` is one more line. */
type Modules = [
  typeof catalog,
  typeof chat,
  typeof conversation,
  typeof conversationExport,
  typeof download,
  typeof embedding,
  typeof model,
  typeof speechScript,
  typeof storedResponse,
  typeof token,
  typeof hubRepository,
  typeof mcpServer,
  typeof modelDetails,
  typeof modelImport,
  typeof request,
  typeof runtime,
  typeof session,
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

/** The parts of a request that the route declares. */
export type RequestParts<R> = R extends Route
  ? Readonly<
      (R extends { params: infer Params } ? { params: SchemaInput<Params> } : object) &
        (R extends { query: infer Query } ? { query?: SchemaInput<Query> } : object) &
        (R extends { body: infer Body } ? { body: SchemaInput<Body> } : object)
    >
  : never;
export type ResultOf<R> = R extends { result: infer Result }
  ? Result extends z.ZodType
    ? z.output<Result>
    : never
  : never;
