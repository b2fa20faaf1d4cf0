import { SignInLimit } from '../../../access/sign-in-limit.ts';
import { loadedInstances } from '../../../engines/loads/loaded-instances.ts';
import { HearthError } from '../../../kernel/errors/errors.ts';
import type { Links } from '../../../access/links/links.ts';
import { mount, type App } from '../../kit/mount.ts';
import type { ApiServices } from '../../services.ts';
import { toV1Model } from '../models/model-record.ts';
import * as contract from './link-schema.ts';

type LinkServices = Pick<ApiServices, 'links' | 'libraryFor' | 'pool'>;

export function mountLinks(app: App, services: LinkServices): void {
  const { links, libraryFor, pool } = services;
  const limit = new SignInLimit();

  mount(app, contract.createLinkOffer, async () => {
    const { code, expiresAt, host, port, fingerprint } = await links.offer();
    return {
      code,
      expires_at: expiresAt.toISOString(),
      host: host ?? null,
      port,
      key: fingerprint,
    };
  });

  mount(app, contract.createLink, async ({ body, context }) => {
    const { name, ...machine } = body;
    const link = await links.add({ ...machine, name: name ?? undefined }, context.signal);
    return toMachine({ ...link, ...(await links.state(link)) });
  });

  mount(app, contract.listLinks, async () => {
    const { to, from } = await links.list();
    return {
      to: to.map(toMachine),
      from: from.map(({ name, tokenId, createdAt, lastUsedAt }) => ({
        name,
        token_id: tokenId,
        created_at: createdAt,
        last_used_at: lastUsedAt?.toISOString() ?? null,
      })),
    };
  });

  mount(app, contract.pairMachine, async ({ body: { code, name }, context: { caller } }) => {
    limit.check(caller.clientKey);
    // Codes are only accepted on the link's encrypted connection: elsewhere others could read them.
    const paired = caller.isLinked === true ? await links.accept(code, name) : undefined;
    if (paired !== undefined) return paired;
    limit.addFailure(caller.clientKey);
    throw new HearthError(
      'invalid_code',
      'This code is unknown, used or too old. `hearth link offer` makes a new one.',
      { field: 'code' },
    );
  });

  mount(app, contract.unpairMachine, async ({ context: { caller } }) => {
    const { tokenId } = caller;
    if (tokenId !== null && (await links.leave(tokenId))) return { removed: true as const };
    throw new HearthError('link_not_found', 'The token of the request belongs to no link.');
  });

  mount(app, contract.listLinkModels, async ({ context }) => {
    const listed = await libraryFor(context.caller).list();
    const own = listed.filter(({ format }) => format !== 'remote');
    const instances = pool.list().filter(({ selection }) => selection.model.format !== 'remote');
    const models = own.flatMap((model) =>
      model.variants.slice(0, 1).map(async (variant) => ({
        ...toV1Model({ id: model.key, model, variant }, loadedInstances(instances, { model })),
        variant_ids: model.variants.map(({ id }) => id),
        standing: await pool.standing({ model, variant }),
      })),
    );
    return { models: await Promise.all(models) };
  });

  mount(app, contract.removeLink, async ({ params: { name } }) => {
    const { isRevokedThere } = await links.remove(name);
    return { name, removed: true as const, revoked_there: isRevokedThere ?? null };
  });
}

function toMachine(link: Awaited<ReturnType<Links['list']>>['to'][number]) {
  const { name, host, port, key, createdAt, modelCount, problem } = link;
  return {
    name,
    host,
    port,
    key,
    created_at: createdAt,
    model_count: modelCount ?? null,
    problem: problem ?? null,
  };
}
