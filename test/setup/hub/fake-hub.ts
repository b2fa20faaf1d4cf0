import { getRequestListener, type HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { Hono, type Context } from 'hono';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answerFile, closed, parseRange } from './fake-hub-answer.ts';
import {
  createFaultRegister,
  type FaultRegister,
  type FaultsOf,
  type HubFaults,
} from './fake-hub-faults.ts';
import {
  createFakeRepository,
  modelEntry,
  type FakeRepository,
  type FakeRepositoryOptions,
} from './fake-hub-repository.ts';

// Reading the body turns this into a real `Response`. An earlier server may have replaced `Response` with a class that
// does not recognize the header for "already sent".
void RESPONSE_ALREADY_SENT.body;

export interface FakeHubRequest {
  readonly server: 'hub' | 'cdn';
  readonly method: string;
  /** Path with its query, as sent. */
  readonly path: string;
  readonly range: string | undefined;
  readonly authorization: string | undefined;
  readonly headers: Readonly<Record<string, string | undefined>>;
}

interface FakeHubOptions {
  readonly repositories: readonly FakeRepositoryOptions[];
  /** Defaults to 0: a free port. */
  readonly port?: number;
  /** Entries per page of a listing; defaults to 1000, like the real hub. */
  readonly pageSize?: number;
  /** True to redirect files to the second server, as the real hub does with large files. */
  readonly isRedirectingToCdn?: boolean;
}

export interface FakeHub {
  readonly url: string;
  /** URL of the second server. It has another port and so another origin. */
  readonly cdnUrl: string;
  /** Requests to both servers, oldest first. */
  readonly requests: readonly FakeHubRequest[];
  /** Total bytes of file content sent so far. */
  readonly sentBytes: number;
  readonly faults: HubFaults;
  /** Redirects files to the second server if true; may be changed at any time. */
  isRedirectingToCdn: boolean;
  /** Adds a repository, or replaces the one with the same name. */
  addRepository(options: FakeRepositoryOptions): FakeRepository;
  /** The repository, to read hashes from or to change. */
  repository(name: string): FakeRepository;
  /** Clears the recorded requests. */
  forgetRequests(): void;
  close(): Promise<void>;
}

interface HubEnvironment {
  Bindings: HttpBindings;
  Variables: { faults: FaultsOf };
}

type HubContext = Context<HubEnvironment>;
type ServerName = FakeHubRequest['server'];

/** Starts a hub on loopback with the API of the Hugging Face hub, and a second server for file content. */
export async function startFakeHub(options: FakeHubOptions): Promise<FakeHub> {
  const repositories = new Map<string, FakeRepository>();
  const requests: FakeHubRequest[] = [];
  const register = createFaultRegister();
  let sentBytes = 0;
  const pageSize = options.pageSize ?? 1000;

  const struck =
    (server: ServerName) =>
    async (context: HubContext, next: () => Promise<void>): Promise<Response | undefined> => {
      requests.push(logged(server, context));
      const { incoming } = context.env;
      const path = pathOf(context);
      const file = repositoryOf(context)?.fileAt(path);
      const range =
        file === undefined
          ? undefined
          : (parseRange(incoming.headers.range, file.content.sizeBytes) ?? {
              start: 0,
              end: file.content.sizeBytes,
            });
      const faults = register.strike({ server, path, range });
      context.set('faults', faults);
      const instead = await answerInstead(context, faults, register);
      if (instead !== undefined) return instead;
      await next();
      return undefined;
    };
  const repositoryOf = (context: HubContext): FakeRepository | undefined => {
    const [owner, name] = pathOf(context)
      .replace(/^\/(api\/models\/|cdn\/)?/, '')
      .split('/');
    return repositories.get(`${owner}/${name}`.toLowerCase());
  };

  const hub = new Hono<HubEnvironment>();
  hub.use(struck('hub'));
  hub.get('/api/models', (context) => {
    const words = (context.req.query('search') ?? '').toLowerCase().split(/\s+/);
    const tags = context.req.queries('filter') ?? [];
    const limit = Number(context.req.query('limit') ?? 100);
    const found = [...repositories.values()]
      .filter(({ name }) => words.every((word) => name.toLowerCase().includes(word)))
      .map((repository) => modelEntry(repository))
      .filter((entry) => tags.every((tag) => entry.tags.includes(tag)))
      .toSorted((left, right) => right.downloads - left.downloads);
    return context.json(found.slice(0, limit));
  });
  hub.get('/api/models/:owner/:name/auth-check', (context) => {
    const repository = repositoryOf(context);
    const refusal = refuse(repository, context) ?? refuseGated(repository, context);
    return refusal ?? context.body(null, 200);
  });
  hub.get('/api/models/:owner/:name/revision/:revision', (context) => {
    const repository = repositoryOf(context);
    const refusal = refuse(repository, context, context.req.param('revision'));
    return refusal ?? context.json(modelEntry(repository as FakeRepository));
  });
  hub.get('/api/models/:owner/:name/tree/:revision', (context) => {
    const repository = repositoryOf(context);
    const refusal = refuse(repository, context, context.req.param('revision'));
    if (refusal !== undefined || repository === undefined) return refusal ?? context.notFound();
    const entries = repository.listing();
    const start = Number(context.req.query('cursor') ?? 0);
    const next = new URL(context.req.url);
    next.searchParams.set('cursor', String(start + pageSize));
    if (start + pageSize < entries.length) context.header('link', `<${next.href}>; rel="next"`);
    return context.json(entries.slice(start, start + pageSize));
  });
  hub.get('/:owner/:name/resolve/:revision/*', async (context) => {
    const repository = repositoryOf(context);
    const refusal =
      refuse(repository, context, context.req.param('revision')) ??
      refuseGated(repository, context);
    if (refusal !== undefined || repository === undefined) return refusal ?? context.notFound();
    const file = repository.fileAt(pathOf(context));
    if (file === undefined) return hubError(context, 404, 'EntryNotFound', 'Entry not found');
    const headers: Record<string, string> = {
      etag: `"${file.oid}"`,
      'x-repo-commit': repository.commit,
      'x-linked-size': String(file.content.sizeBytes),
      'x-linked-etag': `"${file.oid}"`,
    };
    if (state.isRedirectingToCdn) {
      const location = `${cdnServer.url}/cdn/${repository.name}/resolve/x/${encodeURI(file.path)}?signature=fake`;
      return context.body(null, 302, { ...headers, location });
    }
    return sendFile(context, repository, headers);
  });

  const cdn = new Hono<HubEnvironment>();
  cdn.use(struck('cdn'));
  cdn.get('/cdn/*', async (context) => {
    const repository = repositoryOf(context);
    return repository?.fileAt(pathOf(context)) === undefined
      ? context.body('AccessDenied', 403)
      : sendFile(context, repository, {});
  });

  const sendFile = async (
    context: HubContext,
    repository: FakeRepository,
    headers: Readonly<Record<string, string>>,
  ): Promise<Response> => {
    const { incoming, outgoing } = context.env;
    const file = repository.fileAt(pathOf(context));
    if (file === undefined) return context.notFound();
    const faults = context.get('faults');
    const onSent = (bytes: number): void => {
      sentBytes += bytes;
    };
    const { content } = file;
    await answerFile({ incoming, outgoing, headers, content, faults, register, onSent });
    return RESPONSE_ALREADY_SENT;
  };

  const addRepository = (added: FakeRepositoryOptions): FakeRepository => {
    const repository = createFakeRepository(added);
    repositories.set(added.name.toLowerCase(), repository);
    return repository;
  };
  for (const repository of options.repositories) addRepository(repository);
  const hubServer = await listen(hub, options.port ?? 0);
  const cdnServer = await listen(cdn, 0);
  const state: FakeHub = {
    url: hubServer.url,
    cdnUrl: cdnServer.url,
    requests,
    get sentBytes() {
      return sentBytes;
    },
    faults: register,
    isRedirectingToCdn: options.isRedirectingToCdn ?? false,
    addRepository,
    repository(name) {
      const repository = repositories.get(name.toLowerCase());
      if (repository === undefined) throw new Error(`the fake hub has no ${name}`);
      return repository;
    },
    forgetRequests() {
      requests.length = 0;
    },
    async close() {
      register.clear();
      await Promise.all([hubServer.close(), cdnServer.close()]);
    },
  };
  return state;
}

function logged(server: ServerName, { req, env }: HubContext): FakeHubRequest {
  const headers = req.header();
  return {
    server,
    method: req.method,
    path: env.incoming.url ?? '',
    range: headers['range'],
    authorization: headers['authorization'],
    headers,
  };
}

function pathOf({ env }: HubContext): string {
  return decodeURIComponent(new URL(env.incoming.url ?? '/', 'http://hub').pathname);
}

/** The response that a fault sends instead of the correct one. */
async function answerInstead(
  context: HubContext,
  faults: FaultsOf,
  register: FaultRegister,
): Promise<Response | undefined> {
  const { outgoing } = context.env;
  const { silence, status, body, redirect, reset } = faults;
  if (silence !== undefined) await Promise.race([register.released(), closed(outgoing)]);
  if (reset?.afterBytes === 0) {
    outgoing.socket?.resetAndDestroy();
    return RESPONSE_ALREADY_SENT;
  }
  if (status !== undefined) {
    if (status.retryAfter !== undefined) context.header('retry-after', status.retryAfter);
    return hubError(context, status.status, status.errorCode, 'Something went wrong');
  }
  if (body !== undefined) {
    const type = body.contentType ?? 'application/json';
    return new Response(typeof body.body === 'string' ? body.body : new Uint8Array(body.body), {
      status: body.status ?? 200,
      headers: { 'content-type': type },
    });
  }
  if (redirect === undefined) return undefined;
  const location = redirect.location === 'loop' ? context.req.url : redirect.location;
  return new Response(null, { status: redirect.status ?? 302, headers: { location } });
}

/** Like the real hub, does not reveal without a token whether a repository exists. */
function refuse(
  repository: FakeRepository | undefined,
  context: HubContext,
  revision?: string,
): Response | undefined {
  const hasToken = context.req.header('authorization') !== undefined;
  const isHidden = repository?.isPrivate === true && !repository.isTokenAccepted(context.req);
  if (repository === undefined || isHidden) {
    return hasToken
      ? hubError(context, 404, 'RepoNotFound', 'Repository not found')
      : hubError(context, 401, 'RepoNotFound', 'Invalid username or password.');
  }
  if (revision === undefined || repository.hasRevision(revision)) return undefined;
  return hubError(context, 404, 'RevisionNotFound', `Invalid rev id: ${revision}`);
}

function refuseGated(
  repository: FakeRepository | undefined,
  context: HubContext,
): Response | undefined {
  if (repository?.gated === false || repository?.isTokenAccepted(context.req) === true) {
    return undefined;
  }
  const hasToken = context.req.header('authorization') !== undefined;
  const text = `Access to model ${repository?.name} is restricted.`;
  return hubError(context, hasToken ? 403 : 401, 'GatedRepo', text);
}

function hubError(
  context: HubContext,
  status: number,
  code: string | undefined,
  text: string,
): Response {
  if (code !== undefined) context.header('x-error-code', code);
  context.header('x-error-message', text);
  return context.json({ error: text }, status as 400);
}

async function listen(
  app: Hono<HubEnvironment>,
  port: number,
): Promise<{ readonly url: string; close(): Promise<void> }> {
  const handle = getRequestListener(app.fetch);
  const server = createServer((incoming, outgoing) => {
    void handle(incoming, outgoing);
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      if (!server.listening) return;
      const ended = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await ended;
    },
  };
}
