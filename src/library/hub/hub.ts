/** The interface of a model hub: queries for repositories and their files, and the files' addresses. */

import type { HttpClient } from '../../platform/net/http-client.ts';

/** How the bytes of a file are checked after a download. */
export type FileChecksum =
  /** For a large file (Git LFS, Xet): SHA-256 of the content, hex. */
  | { readonly algorithm: 'sha256'; readonly hex: string }
  /** For a small file: SHA-1 of `blob <size>\0` and the content, as Git names it, hex. */
  | { readonly algorithm: 'git-sha1'; readonly hex: string };

export interface HubFile {
  /** Path in the repository, with `/`. Validated: no `..`, no empty or hidden part, no control characters. */
  readonly path: string;
  readonly sizeBytes: number;
  readonly checksum: FileChecksum;
}

/** `owner/name` on the hub, as written there; each part is valid as a folder name. */
export interface RepositoryName {
  readonly owner: string;
  readonly name: string;
}

export interface HubRepository extends RepositoryName {
  /** The commit of the revision at the time of the query; downloads use this commit. */
  readonly commit: string;
  readonly license: string | null;
  /** True if the hub marks it as MLX; its safetensors files alone do not show that. */
  readonly isMlx: boolean;
  readonly files: readonly HubFile[];
}

export interface HubSearchResult extends RepositoryName {
  readonly downloadCount: number;
  readonly likeCount: number;
  readonly updatedAt: Date;
  readonly isGated: boolean;
  /** Such as `text-generation`; null if the repository does not set it. */
  readonly task: string | null;
  readonly license: string | null;
}

/** A repository with the facts that its page on the hub shows. */
export interface HubRepositoryPage {
  readonly repository: HubRepository;
  /** At most 100, of at most 100 characters. */
  readonly tags: readonly string[];
  /** null if the hub does not report it. */
  readonly downloadCount: number | null;
  readonly likeCount: number | null;
  readonly updatedAt: Date | null;
  readonly isGated: boolean;
  /** The content of README.md; null if there is none or it can't be read without an account. */
  readonly card: ModelCard | null;
}

/** Markdown of untrusted origin; excludes the front matter. */
export interface ModelCard {
  readonly markdown: string;
  readonly isTruncated: boolean;
}

export interface Hub {
  /**
   * Lists a repository.
   *
   * @param revision Branch, tag or commit; `main` unless set.
   * @throws HearthError `model_not_found` for a repository or revision that does not exist (or is private),
   *   `gated_repository` if the hub requires a token or an agreement, `hub_unreachable` for a hub that can't
   *   be reached or sends invalid responses, `invalid_value` if it has too many files; the signal's reason when
   *   aborted.
   */
  repository(
    name: RepositoryName,
    revision: string | undefined,
    signal: AbortSignal,
  ): Promise<HubRepository>;
  /**
   * Reads a repository with its model card. Also works for gated repositories, whose files can't be downloaded.
   *
   * @throws The errors of `repository`.
   */
  page(name: RepositoryName, signal: AbortSignal): Promise<HubRepositoryPage>;
  /** Searches GGUF repositories, most downloaded first. @throws HearthError `hub_unreachable`. */
  search(words: string, limit: number, signal: AbortSignal): Promise<readonly HubSearchResult[]>;
  /** Returns the URL of a repository's page, `owner/name`; a download accepts this URL, too. */
  repositoryUrl(repository: string): string;
  /** Returns the URL of a file's content, on the hub's own origin; it may redirect elsewhere. */
  fileUrl(repository: Pick<HubRepository, 'owner' | 'name' | 'commit'>, path: string): URL;
  /** Headers with the credentials; must only be sent to the hub's own origin. */
  readonly headers: Readonly<Record<string, string>>;
  /** Client with which to request the hub's files. */
  readonly http: HttpClient;
}
