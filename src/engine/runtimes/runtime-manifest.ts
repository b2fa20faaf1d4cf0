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
]);

const manifestSchema = z.object({
  formatVersion: z.literal(1),
  name: z.string().min(1).max(200),
  version: z.string().min(1).max(100),
  supportedFormats: z.array(z.string().min(1).max(50)).min(1).max(10),
  installedAt: z.iso.datetime(),
  origin: originSchema,
});

/** Where a runtime came from and what it is started with. */
export type RuntimeOrigin = z.infer<typeof originSchema>;

/** What an installed folder says about itself; it is written last, so a folder without one is not a runtime. */
export type RuntimeManifest = z.infer<typeof manifestSchema>;

export interface InstalledRuntime extends Runtime {
  readonly folder: string;
  readonly installedAt: string;
}

export async function writeManifest(folder: string, manifest: RuntimeManifest): Promise<void> {
  await writeFile(join(folder, manifestFile), `${JSON.stringify(manifest, null, 2)}\n`);
}

/**
 * The runtime that a folder holds.
 *
 * @throws Error that says why it holds none that can be started.
 */
export async function readInstalledRuntime(
  folder: string,
  wheelLauncherPath: string,
): Promise<InstalledRuntime> {
  const manifest = manifestSchema.parse(
    JSON.parse(await readFile(join(folder, manifestFile), 'utf8')),
  );
  const { name, version, supportedFormats, installedAt, origin } = manifest;
  const [command, leadingArguments] =
    origin.source === 'release'
      ? [join(folder, origin.executable), []]
      : [origin.python, wheelArguments(wheelLauncherPath, folder)];
  if (!(await isExecutable(command))) throw new Error(`${command} is not an executable file`);
  const { source } = origin;
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

/** Arguments that make Python the server of the wheel in a folder; `-I` keeps out the user's own packages. */
export function wheelArguments(wheelLauncherPath: string, folder: string): readonly string[] {
  return ['-I', wheelLauncherPath, '--runtime-folder', folder];
}
