/** What Hearth asks of a model hub: which files a repository has, and where they are. */

/** How the bytes of a file are checked after a download. */
export type FileChecksum =
  /** Of a large file (Git LFS, Xet): SHA-256 of the content, hex. */
  | { readonly algorithm: 'sha256'; readonly hex: string }
  /** Of a small one: SHA-1 of `blob <size>\0` and the content, as Git names it, hex. */
  | { readonly algorithm: 'git-sha1'; readonly hex: string };

export interface HubFile {
  /** Within the repository, with `/`; checked: no `..`, no empty or hidden part, no control characters. */
  readonly path: string;
  readonly sizeBytes: number;
  readonly checksum: FileChecksum;
}

/** `owner/name` on the hub, as written there; each part is fit for a folder's name. */
export interface RepositoryName {
  readonly owner: string;
  readonly name: string;
}

export interface HubRepository extends RepositoryName {
  /** The commit of the requested revision; the download uses it to the end. */
  readonly commit: string;
  readonly license: string | null;
  /** Whether it says that its weights are for MLX; safetensors alone don't tell. */
  readonly isMlx: boolean;
  readonly files: readonly HubFile[];
}

export interface HubSearchResult extends RepositoryName {
  readonly downloadCount: number;
  readonly likeCount: number;
  readonly updatedAt: Date;
  readonly isGated: boolean;
  /** Such as `text-generation`; null where the repository does not say. */
  readonly task: string | null;
}

export interface Hub {
  /**
   * Lists a repository.
   *
   * @param revision Branch, tag or commit; `main` by default.
   * @throws HearthError `model_not_found` for a repository or revision that does not exist (or is private),
   *   `gated_repository` where the hub requires a token or an agreement, `hub_unreachable` for a hub that can't
   *   be reached or sends invalid responses, `invalid_value` for one with too many files; the signal's reason when
   *   aborted.
   */
  repository(
    name: RepositoryName,
    revision: string | undefined,
    signal: AbortSignal,
  ): Promise<HubRepository>;
  /** GGUF repositories that match the words, most downloaded first. @throws HearthError `hub_unreachable`. */
  search(words: string, limit: number, signal: AbortSignal): Promise<readonly HubSearchResult[]>;
  /** Address of a file's content, on the hub's own origin; it may redirect to another. */
  fileUrl(repository: Pick<HubRepository, 'owner' | 'name' | 'commit'>, path: string): URL;
  /** What requests to the hub's own origin carry; never sent to another. */
  readonly headers: Readonly<Record<string, string>>;
}
