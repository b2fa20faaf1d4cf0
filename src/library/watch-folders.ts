import { watch, type FSWatcher } from 'node:fs';

/** If there are more, they are scanned instead: users have a limited number of watches. */
const maxFolders = 1024;

export interface FolderWatch {
  /** True if every folder of the last scan is watched, and none has changed since the scan began. */
  readonly isUnchanged: boolean;
  beginScan(): void;
  /** Watches a folder; must be called before the folder is read. */
  readonly add: (folder: string) => void;
  /** Stops watching the folders that were not part of the scan. */
  endScan(): void;
}

/**
 * Watches the folders of scans until the signal aborts. `isUnchanged` is always false on systems that report events
 * late (all but Linux), or if a folder can't be watched.
 */
export function watchFolders(signal: AbortSignal, platform = process.platform): FolderWatch {
  const watchers = new Map<string, FSWatcher>();
  let met = new Set<string>();
  let isScanned = false;
  let isChanged = true;

  const end = (folder: string): void => {
    watchers.get(folder)?.close();
    watchers.delete(folder);
  };
  // Stops watching at the first event, so that a busy folder costs nothing until the next scan.
  const change = (folder: string): void => {
    isChanged = true;
    end(folder);
  };
  signal.addEventListener('abort', () => [...watchers.keys()].forEach(change), { once: true });

  function add(folder: string): void {
    met.add(folder);
    if (watchers.has(folder)) return;
    if (platform !== 'linux' || signal.aborted || watchers.size >= maxFolders) {
      isChanged = true;
      return;
    }
    try {
      const watcher = watch(folder, { persistent: false }, () => change(folder));
      watcher.on('error', () => change(folder));
      watchers.set(folder, watcher);
    } catch {
      isChanged = true;
    }
  }

  return {
    get isUnchanged() {
      return isScanned && !isChanged;
    },
    beginScan: () => {
      met = new Set();
      isScanned = false;
      isChanged = false;
    },
    add,
    endScan: () => {
      for (const folder of watchers.keys()) if (!met.has(folder)) end(folder);
      isScanned = true;
    },
  };
}
