import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Plugin, Rolldown } from 'vite';

/** Writes `licenses.txt`: the licenses of all packages that are bundled into the app, its workers and its frames. */
export function licenses(): { readonly page: Plugin; readonly worker: Plugin } {
  const folders = new Set<string>();
  const collect = (bundle: Readonly<Record<string, Rolldown.OutputBundle[string]>>) => {
    for (const each of Object.values(bundle)) {
      for (const id of each.type === 'chunk' ? each.moduleIds : []) {
        const folder = packageFolderOf(id);
        if (folder !== undefined) folders.add(folder);
      }
    }
  };
  return {
    worker: {
      name: 'worker-licenses',
      generateBundle: (_, bundle) => collect(bundle),
    },
    page: {
      name: 'licenses',
      apply: 'build',
      async generateBundle(_, bundle) {
        collect(bundle);
        const notices = await Promise.all([...folders].toSorted().map(noticeOf));
        this.emitFile({ type: 'asset', fileName: 'licenses.txt', source: notices.join('\n\n') });
      },
    },
  };
}

function packageFolderOf(moduleId: string): string | undefined {
  return /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(moduleId.replaceAll('\\', '/'))?.[0];
}

async function noticeOf(folder: string): Promise<string> {
  const { name, version, license } = JSON.parse(
    await readFile(join(folder, 'package.json'), 'utf8'),
  ) as Readonly<Record<'name' | 'version' | 'license', string>>;
  const file = (await readdir(folder)).find((each) => /^licen[cs]e/i.test(each));
  const text = file === undefined ? '' : await readFile(join(folder, file), 'utf8');
  return `${name} ${version} (${license})\n\n${text}`.trim();
}
