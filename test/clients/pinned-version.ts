import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { clientsFolder } from './run.ts';

const registries = { npm: 'npm', python: 'PyPI', go: 'Go', java: 'Maven' } as const;

/** @param file Path of tests for a client, such as `npm/openai.test.ts`. */
export function registryOf(file: string): (typeof registries)[keyof typeof registries] {
  const [folder] = file.split('/');
  if (folder !== undefined && folder in registries) {
    return registries[folder as keyof typeof registries];
  }
  throw new Error(`${file} is in no folder of a registry.`);
}

/** The version of a package that is pinned in the files for its registry. */
export async function pinnedVersion(file: string, name: string): Promise<string | undefined> {
  const read = (path: string) => readFile(join(clientsFolder, path), 'utf8');
  const find = async (path: string, pattern: string) =>
    new RegExp(pattern, 'm').exec(await read(path))?.[1];
  switch (registryOf(file)) {
    case 'npm': {
      const { dependencies, optionalDependencies } = JSON.parse(await read('package.json')) as {
        readonly dependencies: Readonly<Record<string, string>>;
        readonly optionalDependencies: Readonly<Record<string, string>>;
      };
      return { ...dependencies, ...optionalDependencies }[name];
    }
    case 'PyPI': {
      const folder = /^python\/.*\//.test(file) ? dirname(file) : '.';
      return find(join(folder, 'requirements.txt'), `^${name}==(\\S+)$`);
    }
    case 'Go':
      return find('go/go.mod', `^\\t${name} v(\\S+)$`);
    case 'Maven':
      return find('java/pom.xml', `<artifactId>${name}</artifactId>\\s*<version>(\\S+)</version>`);
  }
}
