import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { packageFolder } from '../../platform/files/package-folder.ts';
import { version } from '../../kernel/version.ts';
import { defineCommand } from '../command.ts';
import { jsonOption } from '../option.ts';

/** The build writes this file. `commit` is null if it was built without git. */
const buildSchema = z.object({ commit: z.string().nullable(), builtAt: z.iso.datetime() });

export const versionCommand = defineCommand({
  options: jsonOption,
  examples: ['hearth version', 'hearth version --json'],
  async run({ context, options }) {
    const build = await readBuild();
    const { output } = context.terminal;
    if (options.json === true) {
      output.json({
        version,
        commit: build?.commit ?? null,
        built_at: build?.builtAt ?? null,
        node: process.version,
        platform: process.platform,
        arch: process.arch,
      });
      return;
    }
    const facts = [
      ...(build?.commit == null ? [] : [`commit ${build.commit}`]),
      ...(build === undefined ? [] : [`built ${build.builtAt.slice(0, 10)}`]),
    ];
    output.line(`hearth ${version}${facts.length === 0 ? '' : ` (${facts.join(', ')})`}`);
  },
});

/** Undefined if Hearth runs from its source files. */
async function readBuild(): Promise<z.infer<typeof buildSchema> | undefined> {
  const text = await readFile(join(packageFolder, 'dist/build.json'), 'utf8').catch(
    () => undefined,
  );
  return text === undefined ? undefined : buildSchema.parse(JSON.parse(text));
}
