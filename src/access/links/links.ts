import { hostname } from 'node:os';
import { revokeToken } from '../revoke-token.ts';
import type { TokenService } from '../token-service.ts';
import { Mutex } from '../../kernel/concurrency/semaphore.ts';
import { HearthError } from '../../kernel/errors/errors.ts';
import type { Logger } from '../../kernel/logger.ts';
import type { Store } from '../../store/store.ts';
import type { InwardLink, LinkFile, OutwardLink } from './link-file.ts';
import type { LinkIdentity } from './link-identity.ts';
import { LinkOffers } from './link-offers.ts';
import { leave, machineUrl, pair } from './peer.ts';

interface LinkedMachine extends Pick<OutwardLink, 'name' | 'key' | 'token'> {
  /** Base address, without a path. */
  readonly url: string;
}

/** The upstreams in the settings, and the linked machines that this machine uses. */
interface RemoteServers {
  readonly names: readonly string[];
  add(machine: LinkedMachine): void;
  /** Also ends the requests in flight. */
  remove(name: string): Promise<void>;
  /**
   * Asks a server for its models.
   *
   * @returns the number of its models
   * @throws HearthError if the server does not answer.
   */
  check(name: string): Promise<number>;
}

interface LinksOptions {
  readonly file: LinkFile;
  /** Reads this machine's key, or creates it. */
  readonly openIdentity: () => Promise<LinkIdentity>;
  /** Address of this machine for other machines; undefined without a network. */
  readonly host: () => string | undefined;
  readonly upstreams: RemoteServers;
  readonly tokens: Pick<TokenService, 'create' | 'list'>;
  readonly store: Pick<Store, 'tokens' | 'owners'>;
  /** Unloads the instances of a machine's models. */
  readonly unload: (machine: string) => Promise<void>;
  readonly logger: Logger;
}

/** Starts to listen for linked machines. */
type Listen = (identity: LinkIdentity) => Promise<LinkListener>;

interface LinkListener {
  readonly port: number;
  close(): Promise<void>;
}

/** The machine to link; the fields are described at `POST /api/v1/links`. */
interface NewLink {
  readonly host: string;
  readonly port: number;
  readonly code: string;
  /** If absent, the name that the other machine uses for itself. */
  readonly name?: string | undefined;
}

interface LinkState {
  /** Number of the machine's models; undefined if the machine can't be used now. */
  readonly modelCount: number | undefined;
  /** The reason why the machine can't be used now. */
  readonly problem: string | undefined;
}

const permissions = ['chat', 'embeddings', 'models:read'] as const;
const maxNameLength = 40;

/** The links between this machine and others, in both directions. */
export class Links {
  readonly #options: LinksOptions;
  readonly #offers = new LinkOffers();
  #listener: Promise<LinkListener> | undefined;
  #isClosed = false;
  #offerEnd: NodeJS.Timeout | undefined;
  #closed: Promise<void> = Promise.resolve();
  #listenFor: Listen = () => Promise.reject(new Error('not started'));
  /** Names of the links in use. */
  readonly #opened = new Set<string>();
  /** Links are added one at a time, so that each sees the names of the others. */
  readonly #adding = new Mutex();
  readonly #accepting = new Mutex();

  constructor(options: LinksOptions) {
    this.#options = options;
  }

  /** Opens the stored links, and starts to listen if other machines have links to this one. */
  async start(listen: Listen): Promise<void> {
    this.#listenFor = listen;
    const { file, upstreams, logger } = this.#options;
    for (const link of file.to) {
      if (!upstreams.names.includes(link.name)) this.#open(link);
      else logger.warn({ link: link.name }, 'a link is not used: "upstreams" has its name');
    }
    if (file.from.length === 0) return;
    await this.#listen().catch((err: unknown) =>
      logger.error({ err }, 'linked machines cannot reach this one'),
    );
  }

  /**
   * Creates a code with which one machine can link to this one, and listens for that machine.
   *
   * @throws Error if the port can't be used.
   */
  async offer() {
    const { port } = await this.#listen();
    const { fingerprint } = await this.#options.openIdentity();
    const offer = this.#offers.create(fingerprint);
    clearTimeout(this.#offerEnd);
    this.#offerEnd = setTimeout(() => void this.#stopUnused(), this.#offers.openMs).unref();
    return { ...offer, host: this.#options.host(), port, fingerprint };
  }

  /** Links a machine that has a code, and uses up the code. Undefined if the code is not valid. */
  async accept(secret: string, name: string) {
    if (!this.#offers.take(secret)) return undefined;
    return this.#accepting.run(() => this.#accept(name));
  }

  async #accept(name: string) {
    const { file, tokens, logger } = this.#options;
    const taken = file.from.map((link) => link.name);
    const link = { name: freeName(name, taken), createdAt: new Date().toISOString() };
    const created = await tokens.create({ name: `Link: ${link.name}`, permissions });
    await file.add({ from: { ...link, tokenId: created.record.id } });
    logger.info({ link: link.name, tokenId: created.record.id }, 'a machine was linked');
    return { name: machineName(), token: created.token };
  }

  /**
   * Links the machine that created a code, so that its models can be used here.
   *
   * @throws HearthError The errors of `pair`; `conflict` if the name or machine is already linked.
   */
  add(link: NewLink, signal: AbortSignal): Promise<OutwardLink> {
    return this.#adding.run(() => this.#add(link, signal));
  }

  async #add({ code, name, ...address }: NewLink, signal: AbortSignal): Promise<OutwardLink> {
    const { file, upstreams, openIdentity, logger } = this.#options;
    if (name !== undefined && upstreams.names.includes(name)) {
      throw new HearthError('conflict', `"${name}" is in use. Choose another name.`, {
        field: 'name',
      });
    }
    const { fingerprint } = await openIdentity();
    const assertNew = (key: string): void => {
      if (key === fingerprint)
        throw new HearthError('conflict', 'This is the code of this machine.');
      const known = file.to.find((link) => link.key === key);
      if (known === undefined) return;
      const message = `The machine is linked as "${known.name}" already.`;
      throw new HearthError('conflict', message);
    };
    const paired = await pair(address, { code, ownName: machineName(), assertNew }, signal);
    const link: OutwardLink = {
      ...address,
      name: name ?? freeName(paired.name, upstreams.names),
      key: paired.key,
      token: paired.token,
      createdAt: new Date().toISOString(),
    };
    await file.add({ to: link });
    this.#open(link);
    logger.info({ link: link.name, host: link.host, key: link.key }, 'linked to a machine');
    return link;
  }

  /** Lists all links, oldest first. Asks each machine whose models are used for the number of its models. */
  async list(): Promise<{
    readonly to: readonly (OutwardLink & LinkState)[];
    readonly from: readonly (InwardLink & { readonly lastUsedAt: Date | null })[];
  }> {
    const { file, tokens } = this.#options;
    const known = new Map((await tokens.list()).map((token) => [token.id, token]));
    return {
      to: await Promise.all(
        file.to.map(async (link) => ({ ...link, ...(await this.state(link)) })),
      ),
      from: file.from.flatMap((link) => {
        const token = known.get(link.tokenId);
        // The link's token may have been revoked, like any other token.
        return token === undefined ? [] : [{ ...link, lastUsedAt: token.lastUsedAt }];
      }),
    };
  }

  /** Asks a linked machine for its number of models; returns the problem if the machine can't be used. */
  async state({ name }: OutwardLink): Promise<LinkState> {
    if (!this.#opened.has(name)) {
      return { modelCount: undefined, problem: `The setting "upstreams" has the name "${name}".` };
    }
    try {
      return { modelCount: await this.#options.upstreams.check(name), problem: undefined };
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error);
      return { modelCount: undefined, problem };
    }
  }

  /**
   * Removes the links with a machine, in both directions.
   *
   * @returns True if the other machine has revoked this machine's token; undefined if there was none.
   * @throws HearthError `link_not_found`.
   */
  async remove(name: string): Promise<{ readonly isRevokedThere: boolean | undefined }> {
    const { file, upstreams, store, unload, logger } = this.#options;
    const to = file.to.find((link) => link.name === name);
    const from = file.from.filter((link) => link.name === name);
    if (to === undefined && from.length === 0) throw linkNotFound(name);
    await file.keep((link) => link.name !== name);
    for (const { tokenId } of from) await revokeToken(store, tokenId, { action: 'kept' });
    if (this.#opened.delete(name)) {
      await unload(name);
      await upstreams.remove(name);
    }
    logger.info({ link: name }, 'link removed');
    await this.#stopUnused();
    return { isRevokedThere: to === undefined ? undefined : await leave(to) };
  }

  /** Removes the link that uses a token, at the request of the other machine. False if no link uses the token. */
  async leave(tokenId: string): Promise<boolean> {
    const { file, store, logger } = this.#options;
    const link = file.from.find((each) => each.tokenId === tokenId);
    if (link === undefined) return false;
    await file.keep((each) => each !== link);
    await revokeToken(store, tokenId, { action: 'kept' });
    logger.info({ link: link.name }, 'the other machine ended its link');
    // Not awaited: the listener stops only after the present request has ended.
    void this.#stopUnused();
    return true;
  }

  close(): Promise<void> {
    this.#isClosed = true;
    return this.#stopListening();
  }

  async #stopListening(): Promise<void> {
    clearTimeout(this.#offerEnd);
    const opening = this.#listener;
    this.#listener = undefined;
    const isOpen = opening !== undefined;
    if (isOpen) this.#closed = opening.then((listener) => listener.close()).catch(() => {});
    await this.#closed;
  }

  #open(link: OutwardLink): void {
    const { name, key, token } = link;
    this.#opened.add(name);
    this.#options.upstreams.add({ name, key, token, url: machineUrl(link) });
  }

  async #listen(): Promise<LinkListener> {
    if (this.#isClosed) throw new HearthError('shutting_down', 'The server is stopping.');
    const { openIdentity } = this.#options;
    this.#listener ??= this.#closed.then(openIdentity).then(this.#listenFor);
    try {
      return await this.#listener;
    } catch (error) {
      this.#listener = undefined;
      throw error;
    }
  }

  /** Stops listening if no other machine may connect. */
  async #stopUnused(): Promise<void> {
    if (this.#options.file.from.length === 0 && this.#offers.openMs === 0)
      await this.#stopListening();
  }
}

function linkNotFound(name: string): HearthError {
  const message = `No machine is linked as ${JSON.stringify(name)}. GET /api/v1/links lists them.`;
  return new HearthError('link_not_found', message, { field: 'name' });
}

/** The name that this machine gives other machines. */
function machineName(): string {
  return toLinkName(hostname());
}

/** `Ada's PC.local` becomes `ada-s-pc`. */
function toLinkName(text: string): string {
  const name = text
    .toLowerCase()
    .replace(/\..*/u, '')
    .replaceAll(/[^a-z0-9]+/gu, '-')
    .replaceAll(/^-|-$/gu, '')
    .slice(0, maxNameLength);
  return name === '' ? 'machine' : name;
}

function freeName(wanted: string, taken: readonly string[]): string {
  const base = toLinkName(wanted);
  if (!taken.includes(base)) return base;
  let number = 2;
  while (taken.includes(`${base}-${number}`)) number += 1;
  return `${base}-${number}`;
}
