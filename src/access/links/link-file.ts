import * as z from 'zod';
import type { Logger } from '../../kernel/logger.ts';
import { readIfPresent, replacePrivateFile } from '../../platform/files/private-file.ts';

const time = z.iso.datetime();
const outwardSchema = z.object({
  name: z.string(),
  host: z.string(),
  port: z.int(),
  /** Fingerprint of the only key that the machine may have. */
  key: z.string(),
  /** Its token for this machine. */
  token: z.string(),
  createdAt: time,
});
const inwardSchema = z.object({
  name: z.string(),
  /** Token of this machine that the other one uses. */
  tokenId: z.string(),
  createdAt: time,
});
const fileSchema = z.object({ to: z.array(outwardSchema), from: z.array(inwardSchema) });

/** A machine whose models this one uses. */
export type OutwardLink = z.infer<typeof outwardSchema>;
/** A machine that uses the models of this one. */
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

  /** Reads the file. An invalid file is reported, and stays until a link is added. */
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

  /** Removes the links that are not to be kept. */
  async keep(isKept: (link: OutwardLink | InwardLink) => boolean): Promise<void> {
    await this.#write({ to: this.to.filter(isKept), from: this.from.filter(isKept) });
  }

  async #write(links: LinkRecords): Promise<void> {
    this.#links = links;
    const content = `${JSON.stringify(links, null, 2)}\n`;
    // In the order of the calls, so that the last change stays.
    this.#writing = this.#writing
      .catch(() => {})
      .then(() => replacePrivateFile(this.#file, content));
    await this.#writing;
  }
}
