import { createHash } from 'node:crypto';
import { createFakeContent, type FakeContent, type FakeFile } from './fake-hub-content.ts';

export interface FakeRepositoryOptions {
  /** `owner/name` */
  readonly name: string;
  readonly files: Readonly<Record<string, FakeFile>>;
  /** How users get access; false or absent if they need not accept terms. */
  readonly gated?: false | 'auto' | 'manual';
  readonly isPrivate?: boolean;
  /** Token for a gated or private repository; defaults to `hf_fake`. */
  readonly token?: string;
  readonly license?: string;
  /** Tags in addition to `gguf`, which is added for repositories with GGUF files. */
  readonly tags?: readonly string[];
  readonly libraryName?: string;
  readonly task?: string;
  readonly downloads?: number;
  /** Branches and tags besides `main`. */
  readonly revisions?: readonly string[];
  /** Larger files are LFS files. The real hub's limit for text is 10 MB, here it is 1 KiB. */
  readonly largeAboveBytes?: number;
}

/** A file or folder in a listing, in the real hub's format. */
interface FakeListingEntry {
  readonly type: 'file' | 'directory';
  readonly oid: string;
  readonly size: number;
  readonly path: string;
  readonly lfs?: { readonly oid: string; readonly size: number; readonly pointerSize: number };
  readonly xetHash?: string;
}

interface StoredFile {
  readonly path: string;
  /** SHA-256 of an LFS file, or the Git hash of another file. */
  readonly oid: string;
  readonly content: FakeContent;
}

export interface FakeRepository {
  readonly name: string;
  readonly gated: false | 'auto' | 'manual';
  readonly isPrivate: boolean;
  readonly commit: string;
  readonly options: FakeRepositoryOptions;
  /** Changes the listing before it is sent, for example to wrong sizes or hostile paths. */
  changeListing: (entries: readonly FakeListingEntry[]) => readonly unknown[];
  listing(): readonly unknown[];
  /** Finds a file by its path, or by a URL that ends with `/resolve/<revision>/<path>`. */
  fileAt(path: string): StoredFile | undefined;
  hasRevision(revision: string): boolean;
  isTokenAccepted(request: { header(name: string): string | undefined }): boolean;
}

export function createFakeRepository(options: FakeRepositoryOptions): FakeRepository {
  const { name, files, gated = false, isPrivate = false, token = 'hf_fake' } = options;
  const largeAboveBytes = options.largeAboveBytes ?? 1024;
  const contents = new Map(
    Object.entries(files).map(([path, file]) => [path, createFakeContent(file)]),
  );
  const commit = createHash('sha1').update(name).update(Object.keys(files).join()).digest('hex');
  const isLarge = (content: FakeContent): boolean => content.sizeBytes > largeAboveBytes;
  const repository: FakeRepository = {
    name,
    gated,
    isPrivate,
    commit,
    options,
    changeListing: (entries) => entries,
    listing() {
      const entries = [...contents].map(([path, content]) => fileEntry(path, content));
      return repository.changeListing([...directoryEntries(contents.keys()), ...entries]);
    },
    fileAt(address) {
      const path = address.replace(/^.*?\/resolve\/[^/]+\//, '');
      const content = contents.get(path);
      if (content === undefined) return undefined;
      const oid = isLarge(content) ? content.sha256() : content.gitSha1();
      return { path, oid, content };
    },
    hasRevision: (revision) =>
      ['main', 'HEAD', commit, ...(options.revisions ?? [])].includes(revision),
    isTokenAccepted: (request) => request.header('authorization') === `Bearer ${token}`,
  };
  const fileEntry = (path: string, content: FakeContent): FakeListingEntry => {
    const size = content.sizeBytes;
    if (!isLarge(content)) return { type: 'file', oid: content.gitSha1(), size, path };
    const oid = content.sha256();
    // For an LFS file, Git contains only a pointer.
    const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${oid}\nsize ${size}\n`;
    const pointerOid = createHash('sha1').update(`blob ${pointer.length}\0${pointer}`);
    return {
      type: 'file',
      oid: pointerOid.digest('hex'),
      size,
      path,
      lfs: { oid, size, pointerSize: pointer.length },
    };
  };
  return repository;
}

function directoryEntries(paths: Iterable<string>): readonly FakeListingEntry[] {
  const folders = new Set<string>();
  for (const path of paths) {
    const parts = path.split('/').slice(0, -1);
    for (const index of parts.keys()) folders.add(parts.slice(0, index + 1).join('/'));
  }
  return [...folders].map((path) => ({
    type: 'directory' as const,
    oid: createHash('sha1').update(path).digest('hex'),
    size: 0,
    path,
  }));
}

/** A repository in the format of search results and revision queries. */
export function modelEntry(repository: FakeRepository) {
  const { name, gated, isPrivate, commit, options } = repository;
  const hasGguf = Object.keys(options.files).some((path) => path.toLowerCase().endsWith('.gguf'));
  const license = options.license === undefined ? [] : [`license:${options.license}`];
  return {
    _id: createHash('sha1').update(name).digest('hex').slice(0, 24),
    id: name,
    modelId: name,
    author: name.split('/')[0],
    private: isPrivate,
    gated,
    sha: commit,
    lastModified: '2026-01-02T03:04:05.000Z',
    createdAt: '2025-01-02T03:04:05.000Z',
    downloads: options.downloads ?? 0,
    likes: 7,
    tags: [...(hasGguf ? ['gguf'] : []), ...(options.tags ?? []), ...license],
    ...(options.libraryName === undefined ? {} : { library_name: options.libraryName }),
    ...(options.task === undefined ? {} : { pipeline_tag: options.task }),
  };
}
