import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { isExecutable } from './find-executable.ts';
import type { Runtime } from './runtime.ts';

const manifestFile = 'runtime.json';

const originSchema = z.discriminatedUnion('source', [
  z.object({
    source: z.literal('release'),
    /** Name of the binary in the folder. */
    executable: z.string().regex(/^[\w-][\w.-]{0,99}$/),
  }),
  z.object({
    source: z.literal('wheel'),
    /** Absolute path of the Python that the package was installed for. */
    python: z.string().min(1).max(4096),
  }),
  z.object({ source: z.literal('mlx-lm'), python: z.string().min(1).max(4096) }),
]);

const manifestSchema = z.object({
  formatVersion: z.literal(1),
  name: z.string().min(1).max(200),
  version: z.string().min(1).max(100),
  supportedFormats: z.array(z.string().min(1).max(50)).min(1).max(10),
  installedAt: z.iso.datetime(),
  origin: originSchema,
});

/** The source of a runtime and the command that starts it. */
export type RuntimeOrigin = z.infer<typeof originSchema>;

/** The manifest of an installed runtime. It is written last, so a folder without a manifest is incomplete. */
export type RuntimeManifest = z.infer<typeof manifestSchema>;

export interface InstalledRuntime extends Runtime {
  readonly folder: string;
  readonly installedAt: string;
}

/** Paths of the Python scripts that start the servers of Python packages. */
export interface PythonLaunchers {
  readonly wheel: string;
  readonly mlx: string;
}

export async function writeManifest(folder: string, manifest: RuntimeManifest): Promise<void> {
  await writeFile(join(folder, manifestFile), `${JSON.stringify(manifest, null, 2)}\n`);
}

/**
 * Reads the runtime in a folder.
 *
 * @throws Error with the reason if the folder has no runtime that can be started.
 */
export async function readInstalledRuntime(
  folder: string,
  launchers: PythonLaunchers,
): Promise<InstalledRuntime> {
  const manifest = manifestSchema.parse(
    JSON.parse(await readFile(join(folder, manifestFile), 'utf8')),
  );
  const { name, version, supportedFormats, installedAt, origin } = manifest;
  const [command, leadingArguments] =
    origin.source === 'release'
      ? [join(folder, origin.executable), []]
      : [
          origin.python,
          launcherArguments(origin.source === 'wheel' ? launchers.wheel : launchers.mlx, folder),
        ];
  if (!(await isExecutable(command))) throw new Error(`${command} is not an executable file`);
  const source = origin.source === 'release' ? 'release' : 'wheel';
  return {
    name,
    version,
    supportedFormats,
    source,
    command,
    leadingArguments,
    folder,
    installedAt,
  };
}

/** Python's arguments to start the server from the packages in a folder. `-I` excludes the user's packages. */
export function launcherArguments(launcherPath: string, folder: string): readonly string[] {
  return ['-I', launcherPath, '--runtime-folder', folder];
}
