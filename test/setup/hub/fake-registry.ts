import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { listenOnLoopback } from '../net/loopback-server.ts';
import { answerFile } from './fake-hub-answer.ts';
import { createFakeContent, type FakeContent, type FakeFile } from './fake-hub-content.ts';
import { createFaultRegister, type FaultsOf } from './fake-hub-faults.ts';

interface FakeLayer {
  readonly mediaType: string;
  readonly file: FakeFile;
  /** Digest to declare in the manifest; by default the correct one. */
  readonly digest?: string;
  readonly size?: number;
}

interface RegistryRequest {
  readonly server: 'registry' | 'store';
  readonly path: string;
  readonly range: string | undefined;
  readonly authorization: string | undefined;
}

export interface FakeRegistry {
  readonly url: string;
  readonly storeUrl: string;
  readonly requests: RegistryRequest[];
  /** Adds a tag. @param name `owner/model:tag`. @returns The digest of the manifest. */
  addTag(name: string, layers: readonly FakeLayer[]): string;
  /** Serves a text as the manifest of a tag. */
  addManifest(name: string, manifest: string): string;
  /** Invalidates all tokens issued so far. */
  expireTokens(): void;
  /** Returns a response to send instead of the correct one; undefined sends the correct one. */
  instead: (path: string) => { status: number; headers?: Record<string, string> } | undefined;
  /** Faults when blobs are sent. */
  blobFaults: FaultsOf;
  isRedirecting: boolean;
  close(): Promise<void>;
}

/**
 * A registry on loopback that follows the OCI distribution specification and the token authentication of the
 * distribution project. It answers requests without a token for the repository with a challenge. It redirects blobs to
 * a store, which refuses requests with credentials, like object stores with signed URLs.
 */
export async function startFakeRegistry(): Promise<FakeRegistry> {
  const manifests = new Map<string, string>();
  const blobs = new Map<string, FakeContent>();
  const tokens = new Map<string, string>();
  const register = createFaultRegister();
  let issued = 0;

  const serveBlob = (request: IncomingMessage, response: ServerResponse, digest: string) => {
    const content = blobs.get(digest);
    if (content === undefined) return fail(response, 404, 'BLOB_UNKNOWN');
    return answerFile({
      incoming: request,
      outgoing: response,
      headers: { 'docker-content-digest': digest },
      content,
      faults: state.blobFaults,
      register,
      onSent: () => {},
    });
  };

  const registry = await listen((request, response) => {
    const url = new URL(request.url ?? '', state.url);
    log('registry', request);
    const other = state.instead(url.pathname);
    if (other !== undefined) return response.writeHead(other.status, other.headers).end();
    if (url.pathname === '/token') {
      issued += 1;
      const token = `token-${issued}`;
      tokens.set(token, url.searchParams.get('scope') ?? '');
      return response.end(JSON.stringify({ token, expires_in: 300 }));
    }
    const [, repository = '', kind, reference = ''] =
      /^\/v2\/(.+)\/(manifests|blobs)\/([^/]+)$/.exec(url.pathname) ?? [];
    const scope = `repository:${repository}:pull`;
    if (tokens.get(request.headers.authorization?.replace('Bearer ', '') ?? '') !== scope) {
      const challenge = `Bearer realm="${state.url}/token",service="fake",scope="${scope}"`;
      return fail(response, 401, 'UNAUTHORIZED', { 'www-authenticate': challenge });
    }
    if (kind === 'manifests') {
      const manifest = manifests.get(`${repository}:${reference}`);
      if (manifest === undefined) return fail(response, 404, 'MANIFEST_UNKNOWN');
      return response.end(manifest);
    }
    if (!state.isRedirecting) return serveBlob(request, response, reference);
    const location = `${state.storeUrl}/${reference}?signature=fake`;
    return response.writeHead(307, { location }).end();
  });
  const store = await listen((request, response) => {
    log('store', request);
    if (request.headers.authorization !== undefined) return fail(response, 400, 'CREDENTIALS');
    return serveBlob(request, response, request.url?.slice(1).split('?')[0] ?? '');
  });
  const log = (server: RegistryRequest['server'], { url = '', headers }: IncomingMessage): void => {
    const { range, authorization } = headers;
    state.requests.push({ server, path: url, range, authorization });
  };

  const state: FakeRegistry = {
    url: registry.url,
    storeUrl: store.url,
    requests: [],
    addTag(name, layers) {
      const described = layers.map(({ mediaType, file, digest, size }) => {
        const content = createFakeContent(file);
        const own = digest ?? `sha256:${content.sha256()}`;
        blobs.set(own, content);
        return { mediaType, digest: own, size: size ?? content.sizeBytes };
      });
      const mediaType = 'application/vnd.docker.distribution.manifest.v2+json';
      return state.addManifest(
        name,
        JSON.stringify({ schemaVersion: 2, mediaType, layers: described }),
      );
    },
    addManifest(name, manifest) {
      manifests.set(name, manifest);
      return `sha256:${createHash('sha256').update(manifest).digest('hex')}`;
    },
    expireTokens: () => tokens.clear(),
    instead: () => undefined,
    blobFaults: {},
    isRedirecting: true,
    close: async () => {
      await registry.close();
      await store.close();
    },
  };
  return state;
}

function fail(
  response: ServerResponse,
  status: number,
  code: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { ...headers, 'content-type': 'application/json' });
  response.end(JSON.stringify({ errors: [{ code, message: code.toLowerCase() }] }));
}

function listen(answer: (request: IncomingMessage, response: ServerResponse) => unknown) {
  return listenOnLoopback(createServer((request, response) => void answer(request, response)));
}
