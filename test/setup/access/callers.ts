import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { permissionSchema, type Permission } from '../../../src/kernel/permission.ts';
import { signIn } from './sign-in.ts';
import { withTokens } from '../server/with-tokens.ts';

/** A kind of caller, with its headers and permissions. */
export interface Caller {
  readonly name: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Query to add to the path. */
  readonly query?: string;
  /** `invalid`: refused on every route. `foreign`: from another web page, or with a host name that is not the server's. */
  readonly identity: 'anonymous' | 'known' | 'invalid' | 'foreign';
  readonly permissions: readonly Permission[];
  /** A permission that the caller lacks: only routes that need this permission are tested with it. */
  readonly lacks?: Permission;
}

export const allPermissions = permissionSchema.options;
/** Permissions of a caller without a token, if the server requires no tokens. */
const anonymousPermissions: readonly Permission[] = [
  'chat',
  'embeddings',
  'models:read',
  'models:write',
  'ephemeral-mcp',
  'metrics',
];

interface Secrets {
  readonly single: ReadonlyMap<Permission, string>;
  readonly withoutOne: ReadonlyMap<Permission, string>;
  readonly all: string;
  readonly revoked: string;
  readonly expired: string;
}

/** Creates the tokens of all callers in a home folder, before its server starts. */
export function makeSecrets(home: string): Promise<Secrets> {
  return withTokens(home, async (service, store) => {
    const make = async (permissions: readonly Permission[], expiresAt?: Date) => {
      const dates = expiresAt === undefined ? {} : { expiresAt };
      return service.create({ name: permissions.join(), permissions, ...dates });
    };
    const single = new Map<Permission, string>();
    const withoutOne = new Map<Permission, string>();
    for (const permission of allPermissions) {
      single.set(permission, (await make([permission])).token);
      const others = allPermissions.filter((each) => each !== permission && each !== 'admin');
      withoutOne.set(permission, (await make(others)).token);
    }
    const revoked = await make(['admin']);
    await store.tokens.delete(revoked.record.id);
    return {
      single,
      withoutOne,
      all: (await make(allPermissions)).token,
      revoked: revoked.token,
      expired: (await make(['admin'], new Date(Date.now() - 1000))).token,
    };
  });
}

export const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

/** Callers that the server treats equally, whether it requires a token or not. */
export async function knownCallers(
  { url, home }: { readonly url: string; readonly home: string },
  secrets: Secrets,
): Promise<readonly Caller[]> {
  const known = (
    name: string,
    headers: Caller['headers'],
    permissions: Caller['permissions'],
  ): Caller => ({ name, headers, permissions, identity: 'known' });
  const invalid = (name: string, headers: Caller['headers']): Caller => ({
    name,
    headers,
    permissions: [],
    identity: 'invalid',
  });
  const foreign = (name: string, headers: Caller['headers']): Caller => ({
    name,
    headers: { ...bearer(secrets.all), ...headers },
    permissions: [],
    identity: 'foreign',
  });
  const owner = (await readFile(join(home, 'owner-token'), 'utf8')).trim();
  const open = await signIn(url, owner);
  const ended = await signIn(url, owner);
  await fetch(`${url}/api/v1/sessions/${ended.id}`, { method: 'DELETE', headers: bearer(owner) });
  const unknown = `hearth-0123456789-${'a'.repeat(48)}`;
  return [
    invalid('an unknown token', bearer(unknown)),
    invalid('a token with a wrong secret', bearer(`${secrets.all.slice(0, -4)}0000`)),
    invalid('a revoked token', bearer(secrets.revoked)),
    invalid('an expired token', bearer(secrets.expired)),
    invalid('a session that has ended', ended.headers),
    invalid('a session without its cookie', bearer(open.token)),
    ...[...secrets.single].map(([permission, token]) =>
      known(`a token with ${permission} alone`, bearer(token), [permission]),
    ),
    ...[...secrets.withoutOne].map(([lacks, token]) => ({
      ...known(
        `a token with all but admin and ${lacks}`,
        bearer(token),
        allPermissions.filter((each) => each !== lacks && each !== 'admin'),
      ),
      lacks,
    })),
    known('a token with every permission', bearer(secrets.all), allPermissions),
    known('such a token in x-api-key', { 'x-api-key': secrets.all }, allPermissions),
    known('a browser session', open.headers, ['admin']),
    known('the owner of the home folder', bearer(owner), ['admin']),
    foreign('a page of another site', { origin: 'https://attacker.example' }),
    foreign('a sandboxed page', { origin: 'null' }),
    foreign('another host name', { host: 'attacker.example' }),
  ];
}

/** Callers without a token, or with a key of another product. */
export function anonymousCallers(secret: string, isTokenRequired: boolean): readonly Caller[] {
  const anonymous = (name: string, more: Partial<Caller> = {}): Caller => ({
    name,
    headers: {},
    permissions: isTokenRequired ? [] : anonymousPermissions,
    identity: 'anonymous',
    ...more,
  });
  return [
    anonymous('no token'),
    anonymous('a token in the query', { query: `token=${secret}&api_key=${secret}` }),
    anonymous('a token in a cookie', { headers: { cookie: `token=${secret}` } }),
    anonymous('a key of another product', {
      headers: bearer('sk-unrelated'),
      ...(isTokenRequired && { identity: 'invalid' as const }),
    }),
  ];
}
