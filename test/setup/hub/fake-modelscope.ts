import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { listenOnLoopback, sendJson } from '../net/loopback-server.ts';
import { answerFile } from './fake-hub-answer.ts';
import { createFakeContent, type FakeContent, type FakeFile } from './fake-hub-content.ts';
import { createFaultRegister, type FaultsOf } from './fake-hub-faults.ts';

interface FakeModel {
  /** `owner/name` */
  readonly id: string;
  readonly files: Readonly<Record<string, FakeFile>>;
  readonly license?: string;
  readonly downloads?: number;
  readonly tags?: readonly string[];
}

export interface FakeModelScope {
  readonly url: string;
  readonly requests: { readonly path: string; readonly range: string | undefined }[];
  /** The models; may be changed at any time. */
  readonly models: FakeModel[];
  /** Wrong fields for the list of files, by path. */
  readonly listed: Map<string, Record<string, unknown>>;
  /** Returns a response to send instead of the correct one; undefined sends the correct one. */
  instead: (path: string) => { status: number; body?: string } | undefined;
  /** Faults when file content is sent. */
  fileFaults: FaultsOf;
  /** Redirects files to the second server if true. */
  isRedirecting: boolean;
  close(): Promise<void>;
}

/**
 * ModelScope on loopback: `openapi/v1` for the search and descriptions of models, `api/v1` for lists of files, which
 * are null for an unknown branch. File content comes from a second server, to which it redirects. Source: the package
 * `modelscope-hub`.
 */
export async function startFakeModelScope(models: readonly FakeModel[]): Promise<FakeModelScope> {
  const register = createFaultRegister();
  const onSent = () => {};
  const contentOf = ({ files }: FakeModel, path: string) => {
    const file = files[path];
    return file === undefined ? undefined : createFakeContent(file);
  };
  const describe = ({ id, license = '', downloads = 0, tags = ['library:gguf'] }: FakeModel) => ({
    id,
    display_name: id,
    license,
    downloads,
    likes: 3,
    last_modified: '2026-02-26T17:40:28Z',
    tags,
    tasks: ['text-generation'],
    gated: false,
  });
  const find = (id: string) => state.models.find((model) => model.id === id);

  const answer = (request: IncomingMessage, response: ServerResponse, url: URL): unknown => {
    const [, api = '', rest = ''] = /^\/(openapi|api)\/v1\/models\/?(.*)$/.exec(url.pathname) ?? [];
    if (api === 'openapi' && rest === '') {
      const words = (url.searchParams.get('search') ?? '').toLowerCase();
      const library = `library:${url.searchParams.get('filter.library')}`;
      const found = state.models
        .map(describe)
        .filter(({ id, tags }) => id.toLowerCase().includes(words) && tags.includes(library))
        .toSorted((one, other) => other.downloads - one.downloads);
      const size = Number(url.searchParams.get('page_size'));
      const data = { models: found.slice(0, size), total_count: found.length, page_number: 1 };
      return sendJson(response, { success: true, request_id: 'fake', data });
    }
    const [owner, name, ...view] = rest.split('/');
    const model = find(`${owner}/${name}`);
    const path = url.searchParams.get('FilePath') ?? '';
    const isBranch = url.searchParams.get('Revision') === 'master';
    if (model === undefined) {
      return sendJson(response, { Code: 10010205001, Message: 'not found', Success: false }, 404);
    }
    if (api === 'openapi') {
      return sendJson(response, { success: true, request_id: 'fake', data: describe(model) });
    }
    if (view.join('/') === 'repo/files') {
      const data = { Files: isBranch ? listOf(model) : null, LatestCommitter: { Id: '' } };
      return sendJson(response, { Code: 200, Success: true, Message: 'success', Data: data });
    }
    if (!isBranch || contentOf(model, path) === undefined) {
      return sendJson(response, { Code: 10990101004, Success: false }, 404);
    }
    if (!state.isRedirecting) return serveFile(request, response, contentOf(model, path));
    const location = `${store.url}/${model.id}?path=${encodeURIComponent(path)}`;
    return response.writeHead(302, { location }).end();
  };
  const listOf = (model: FakeModel) => [
    { Name: 'folder', Path: 'folder', Type: 'tree', Size: 0, Sha256: '' },
    ...Object.keys(model.files).map((path) => ({
      Name: path.split('/').at(-1),
      Path: path,
      Type: 'blob',
      IsLFS: true,
      Revision: 'a'.repeat(40),
      Size: contentOf(model, path)?.sizeBytes,
      Sha256: contentOf(model, path)?.sha256(),
      ...state.listed.get(path),
    })),
  ];

  const serveFile = (
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    content: FakeContent | undefined,
  ) => {
    if (content === undefined) return outgoing.writeHead(404).end();
    const faults = state.fileFaults;
    return answerFile({ incoming, outgoing, headers: {}, content, faults, register, onSent });
  };

  const site = await listen((request, response) => {
    const url = new URL(request.url ?? '', state.url);
    state.requests.push({ path: `${url.pathname}${url.search}`, range: request.headers.range });
    const other = state.instead(url.pathname);
    if (other === undefined) return answer(request, response, url);
    return response.writeHead(other.status).end(other.body);
  });
  const store = await listen((request, response) => {
    const url = new URL(request.url ?? '', state.url);
    const model = find(url.pathname.slice(1));
    const content = model && contentOf(model, url.searchParams.get('path') ?? '');
    return serveFile(request, response, content);
  });
  const state: FakeModelScope = {
    url: site.url,
    requests: [],
    models: [...models],
    listed: new Map(),
    instead: () => undefined,
    fileFaults: {},
    isRedirecting: true,
    close: async () => {
      await site.close();
      await store.close();
    },
  };
  return state;
}

function listen(answer: (request: IncomingMessage, response: ServerResponse) => unknown) {
  return listenOnLoopback(createServer((request, response) => void answer(request, response)));
}
