import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Plugin } from 'vite';

/** Writes `licenses.txt`: the licenses of the packages in the bundle. */
export function licenses(): Plugin {
  return {
    name: 'licenses',
    apply: 'build',
    async generateBundle(_, bundle) {
      const modules = Object.values(bundle).flatMap((each) =>
        each.type === 'chunk' ? each.moduleIds : [],
      );
      const folders = new Set(modules.flatMap((id) => packageFolderOf(id) ?? []));
      const notices = await Promise.all([...folders].toSorted().map(noticeOf));
      this.emitFile({ type: 'asset', fileName: 'licenses.txt', source: notices.join('\n\n') });
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
