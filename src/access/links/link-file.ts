import * as z from 'zod';
import type { Logger } from '../../kernel/logger.ts';
import { readIfPresent, replacePrivateFile } from '../../platform/files/private-file.ts';

const time = z.iso.datetime();
const outwardSchema = z.object({
  name: z.string(),
  host: z.string(),
  port: z.int(),
  /** Fingerprint of the machine's key; connections with another key are refused. */
  key: z.string(),
  /** Token with which this machine authenticates to the other. */
  token: z.string(),
  createdAt: time,
});
const inwardSchema = z.object({
  name: z.string(),
  /** Id of the token with which the other machine authenticates to this one. */
  tokenId: z.string(),
  createdAt: time,
});
const fileSchema = z.object({ to: z.array(outwardSchema), from: z.array(inwardSchema) });

/** A link to a machine whose models this machine uses. */
export type OutwardLink = z.infer<typeof outwardSchema>;
/** A link from a machine that uses the models of this machine. */
export type InwardLink = z.infer<typeof inwardSchema>;
type LinkRecords = z.infer<typeof fileSchema>;

/** The links of this machine, in a private file of the home folder. */
export class LinkFile {
  readonly #file: string;
  #links: LinkRecords;
  #writing: Promise<void> = Promise.resolve();

  private constructor(file: string, links: LinkRecords) {
    this.#file = file;
    this.#links = links;
  }

  /** Reads the file. An invalid file is reported in the log, and is not overwritten until a link is added. */
  static async open(file: string, logger: Logger): Promise<LinkFile> {
    try {
      const text = await readIfPresent(file);
      if (text !== undefined) return new LinkFile(file, fileSchema.parse(JSON.parse(text)));
    } catch (err) {
      logger.warn({ err, file }, 'the links are invalid; no machine is linked');
    }
    return new LinkFile(file, { to: [], from: [] });
  }

  get to(): readonly OutwardLink[] {
    return this.#links.to;
  }

  get from(): readonly InwardLink[] {
    return this.#links.from;
  }

  async add(link: Partial<{ to: OutwardLink; from: InwardLink }>): Promise<void> {
    const { to, from } = this.#links;
    await this.#write({
      to: [...to, link.to ?? []].flat(),
      from: [...from, link.from ?? []].flat(),
    });
  }

  /** Removes the links for which `isKept` returns false. */
  async keep(isKept: (link: OutwardLink | InwardLink) => boolean): Promise<void> {
    await this.#write({ to: this.to.filter(isKept), from: this.from.filter(isKept) });
  }

  async #write(links: LinkRecords): Promise<void> {
    this.#links = links;
    const content = `${JSON.stringify(links, null, 2)}\n`;
    // Each write waits for the previous one, so that the file ends up with the latest change.
    this.#writing = this.#writing
      .catch(() => {})
      .then(() => replacePrivateFile(this.#file, content));
    await this.#writing;
  }
}
