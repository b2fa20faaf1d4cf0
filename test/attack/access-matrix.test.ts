import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { declaredEndpoints } from '../../src/server/reference.ts';
import {
  anonymousCallers,
  bearer,
  knownCallers,
  makeSecrets,
  type Caller,
} from '../setup/access/callers.ts';
import { makeThing, secretText, type OwnedThing } from '../setup/access/owned-things.ts';
import { request, strangersSee, type Stranger } from '../setup/access/owner-cells.ts';
import { ownedParameters, ownerRows, ownLists, sharedRoutes } from '../setup/access/owner-rows.ts';
import { contentRow, permissionRow, type ContentRow } from '../setup/access/permission-cells.ts';
import { send } from '../setup/access/send.ts';
import { addHarbour } from '../setup/mcp/harbour.ts';
import { placeEndlessModel } from '../setup/models/endless-model.ts';
import { get } from '../setup/server/api.ts';
import { useHearth } from '../setup/server/use-hearth.ts';
import { withTokens } from '../setup/server/with-tokens.ts';

const endpoints = declaredEndpoints();
const routes = endpoints.map(({ route }) => route);
/** Routes that require no token. A new one must be added here. */
const publicRoutes = [
  'getHealth',
  'getReadiness',
  'createSession',
  'getSession',
  'pairMachine',
  'versionOllama',
];
const environment = { HEARTH_HUB_ENDPOINT: 'http://127.0.0.1:9' };
/** No server listens at this address. */
const closedHost = '127.0.0.1:9';
const ephemeral = { server_label: 'none', server_url: `http://${closedHost}/` };
const toolFlags = [
  '--mcp-allow-plugins',
  '--mcp-allow-ephemeral',
  `--mcp-allowed-hosts=${closedHost}`,
];
const counts = { callers: 0, owners: 0 };

/** Things that were stored without a token. */
const unowned: OwnedThing[] = [];
let secrets: Awaited<ReturnType<typeof makeSecrets>>;
const hearth = useHearth(async (home) => {
  secrets = await makeSecrets(home);
  await placeEndlessModel(home);
  await addHarbour(home);
  return { environment };
});
afterAll(() => {
  console.info(`${counts.callers} cells of callers, ${counts.owners} cells of owners`);
});

describe('the matrix', () => {
  // covers server-2
  it('has a row for each route that the server documents', async () => {
    const { body } = await get(hearth.url, '/openapi.json');
    const documented = Object.entries<object>(body.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method} ${path}`),
    );
    const declared = routes.map(({ method, path }) => `${method} ${path.replace('...}', '}')}`);
    expect(new Set(documented)).toEqual(new Set(declared));
  });

  it('names the routes that need no permission', () => {
    const open = routes.filter(({ permission }) => permission === null);
    expect(open.map(({ operationId }) => operationId).toSorted()).toEqual(publicRoutes.toSorted());
  });

  it('names for each route what the caller shares with others', () => {
    const named = new Set([...Object.keys(ownerRows), ...ownLists, ...sharedRoutes]);
    const operations = routes.map(({ operationId }) => operationId);
    expect([...named].toSorted()).toEqual(operations.toSorted());
    const owned = routes.filter(({ path }) =>
      ownedParameters.some((name) => path.includes(`{${name}}`)),
    );
    expect(owned.filter(({ operationId }) => !(operationId in ownerRows))).toEqual([]);
  });
});

describe.each([
  ['requires no token', false],
  ['requires tokens', true],
] as const)('a server that %s', (_, isTokenRequired) => {
  let callers: readonly Caller[];
  beforeAll(async () => {
    if (isTokenRequired) {
      await hearth.stop();
      await hearth.restart({ flags: ['--auth-required', ...toolFlags], environment });
    }
    const known = await knownCallers(hearth, secrets);
    const anonymous = anonymousCallers(secrets.all, isTokenRequired);
    // A caller's token is used even if the caller needs none.
    const repeated = known.filter(({ name }) => /with chat alone|session/.test(name));
    callers = [...anonymous, ...(isTokenRequired ? known : repeated)];
    if (isTokenRequired) return;
    unowned.push(await makeThing.tree(hearth.url, {}), await makeThing.file(hearth.url, {}));
  });

  // covers auth-1, auth-2, auth-4, auth-6, auth-7, auth-10, auth-11, api-8
  it.each(endpoints.map((endpoint) => [endpoint.route.operationId, endpoint] as const))(
    '%s',
    async (__, endpoint) => {
      const { cells, surprises } = await permissionRow(hearth.url, endpoint, callers);
      counts.callers += cells;
      expect(surprises).toEqual([]);
    },
  );
});

const chat = { model: 'hearth/starter-chat', input: 'Hello!', store: false, max_output_tokens: 1 };
const batch = { input_file_id: 'absent', completion_window: '24h' };
const contentRows: readonly ContentRow[] = [
  {
    name: 'events of requests',
    method: 'GET',
    path: '/api/v1/events?topics=requests',
    needs: ['admin'],
    status: 200,
  },
  {
    name: 'a batch of chats',
    method: 'POST',
    path: '/v1/batches',
    body: { ...batch, endpoint: '/v1/chat/completions' },
    needs: ['chat'],
    status: 404,
  },
  {
    name: 'a batch of embeddings',
    method: 'POST',
    path: '/v1/batches',
    body: { ...batch, endpoint: '/v1/embeddings' },
    needs: ['embeddings'],
    status: 404,
  },
  {
    name: 'a plugin',
    method: 'POST',
    path: '/api/v1/chat',
    body: { ...chat, integrations: ['mcp/absent'] },
    needs: ['chat', 'plugins'],
    status: 400,
  },
  {
    name: 'an ephemeral server',
    method: 'POST',
    path: '/api/v1/chat',
    body: { ...chat, integrations: [{ type: 'ephemeral_mcp', ...ephemeral }] },
    needs: ['chat', 'ephemeral-mcp'],
    status: 502,
  },
  {
    name: 'an MCP tool',
    method: 'POST',
    path: '/v1/responses',
    body: { ...chat, tools: [{ type: 'mcp', ...ephemeral, require_approval: 'never' }] },
    needs: ['chat', 'ephemeral-mcp'],
    status: 502,
  },
];

// covers v1-integration-7, server-6
it.each(contentRows.map((row) => [row.name, row] as const))(
  'needs permissions for the content of a request: %s',
  async (_, row) => {
    const known = await knownCallers(hearth, secrets);
    const callers = [...anonymousCallers(secrets.all, true), ...known];
    expect(await contentRow(hearth.url, row, callers)).toEqual([]);
    counts.callers += callers.length;
  },
);

describe('something that belongs to a token', () => {
  let owner: Record<string, string>;
  let strangers: readonly Stranger[];
  beforeAll(async () => {
    const tokens = await withTokens(hearth.home, async (service) => {
      const make = async (): Promise<string> =>
        (await service.create({ name: 'tenant', permissions: ['chat', 'embeddings', 'plugins'] }))
          .token;
      return [await make(), await make()] as const;
    });
    owner = bearer(tokens[0]);
    const known = await knownCallers(hearth, secrets);
    strangers = [
      { name: 'another token', headers: bearer(tokens[1]) },
      ...known.filter(({ name }) => /x-api-key|browser session|owner/.test(name)),
    ];
  });

  const rows = routes.flatMap((route) =>
    (ownerRows[route.operationId] ?? []).map(
      (row, index) => [`${route.operationId} ${index + 1}`, route, row] as const,
    ),
  );
  // covers v1-stored-5, auth-12
  it.each(rows)('is hidden from strangers: %s', async (_, route, row) => {
    const thing = await makeThing[row.kind](hearth.url, owner);
    expect(await strangersSee(hearth.url, route, row, thing, strangers)).toEqual([]);
    const { status, text } = await request(hearth.url, route, row, thing, owner);
    expect(row.statuses ?? [200], text).toContain(status);
    counts.owners += strangers.length + 1;
    if (row.kind === 'background') await cancel(thing, owner);
  });

  // Before strangers continue a response without an owner: theirs has its input.
  // covers auth-12
  it('is in no list of a stranger', async () => {
    const things = [
      await makeThing.tree(hearth.url, owner),
      await makeThing.file(hearth.url, owner),
      await makeThing.batch(hearth.url, owner),
      await makeThing.choice(hearth.url, owner),
      await makeThing.preset(hearth.url, owner),
      await makeThing.prompt(hearth.url, owner),
    ];
    const lists = routes.filter(
      ({ method, params, isStreamOnly, permission }) =>
        method === 'get' && params === undefined && isStreamOnly !== true && permission !== 'admin',
    );
    const ids = things.flatMap((thing) => Object.values(thing));
    const seenBy = async (path: string, headers: Readonly<Record<string, string>>) => {
      const { text } = await send(hearth.url, { method: 'GET', path, headers });
      return [...ids, secretText].filter((each) => text.includes(each));
    };
    for (const { operationId, path } of lists) {
      const seen = await Promise.all(strangers.map(({ headers }) => seenBy(path, headers)));
      expect([operationId, ...seen.flat()]).toEqual([operationId]);
      counts.owners += strangers.length;
    }
    const own = lists.filter(({ operationId }) => ownLists.has(operationId));
    for (const { path } of own) expect(await seenBy(path, owner), path).not.toEqual([]);
  });

  // covers auth-12
  it.each(rows.filter(([, , { kind }]) => kind === 'tree' || kind === 'file'))(
    'is readable without a token only if none made it: %s',
    async (_, route, row) => {
      const [tree = {}, file = {}] = unowned;
      const thing = row.kind === 'tree' ? tree : file;
      const isShared = row.kind === 'tree' && row.effect === 'read';
      for (const { name, headers } of strangers) {
        const { status, text } = await request(hearth.url, route, row, thing, headers);
        expect([200, 400, 404], `${name}: ${text}`).toContain(status);
        expect(status === 200, `${name}: ${text}`).toBe(isShared);
      }
      counts.owners += strangers.length;
    },
  );
});

const cancel = ({ response_id: id }: OwnedThing, headers: Readonly<Record<string, string>>) =>
  send(hearth.url, { method: 'POST', path: `/api/v1/responses/${id}/cancel`, headers });
