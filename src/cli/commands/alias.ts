import { type ModelAlias, openAliases, openLibrary } from '../../server/offline/models.ts';
import { defineCommand, type CommandContext } from '../command.ts';
import { decimal, flag, jsonOption, required, rest } from '../option.ts';
import { writeList, writeResult } from '../ui/result.ts';
import { loadSettings } from '../../settings/settings.ts';
import { HearthError } from '../../kernel/errors/errors.ts';
import { nearestModel } from '../check-model.ts';
import { omitUndefined } from '../../kernel/omit-undefined.ts';
import { CommandError, UsageError } from '../failure.ts';

export const aliasLs = defineCommand({
  options: jsonOption,
  examples: ['hearth alias ls', 'hearth alias ls --json'],
  async run({ context, options }) {
    const aliases = await openAliases(context).list();
    writeList<ModelAlias>(context.terminal, options, {
      result: { aliases },
      rows: aliases,
      columns: [
        { title: 'ALIAS', value: ({ name }) => name },
        { title: 'MODEL', value: describeModels },
      ],
      ifEmpty: 'No aliases. Add one with `hearth alias set NAME MODEL`.',
    });
  },
});

export const aliasSet = defineCommand({
  positionals: {
    alias: required('Name that requests use; one * stands for any characters'),
    model: required('Key of the model'),
    others: rest('Models that answer if the ones before are missing, busy or fail'),
  },
  options: {
    whenLoaded: flag('--when-loaded', 'Use all models but the last only while they are loaded'),
    maxWait: decimal(
      '--max-wait <seconds>',
      'Longest wait in the queues of all models but the last',
      0,
      86_400,
    ),
    force: flag('--force', 'Set the alias even if there is no such model yet'),
    ...jsonOption,
  },
  examples: [
    'hearth alias set gpt-4o-mini hearth/starter-chat',
    "hearth alias set 'claude-*' hearth/starter-chat",
    'hearth alias set coder qwen/qwen3-32b qwen/qwen3-8b --max-wait 10',
  ],
  async run({ context, options, positionals: { alias, model, others } }) {
    const models = [model, ...others];
    if (options.force !== true) {
      for (const each of models) await assertModelExists(context, each);
    }
    const conditions = omitUndefined({
      when: options.whenLoaded === true ? ('loaded' as const) : undefined,
      maxWaitSeconds: options.maxWait,
    });
    const hasConditions = Object.keys(conditions).length > 0;
    if (hasConditions && others.length === 0) {
      throw new UsageError(
        '--when-loaded and --max-wait need a further model, which is used then.',
      );
    }
    const chain = models.map((each, index) =>
      hasConditions && index < others.length ? { model: each, ...conditions } : each,
    );
    await openAliases(context).set(alias, others.length === 0 ? model : chain);
    const result = { name: alias, model, ...(others.length > 0 && { chain }) };
    writeResult(context.terminal, options, result, `${alias} is now ${models.join(', else ')}`);
  },
});

function describeModels({ model, chain = [{ model }] }: ModelAlias): string {
  return chain
    .map(({ model: each, when, maxWaitSeconds }) => {
      const conditions = [
        ...(when === undefined ? [] : [`when ${when}`]),
        ...(maxWaitSeconds === undefined ? [] : [`waits ${maxWaitSeconds} s`]),
      ];
      return conditions.length === 0 ? each : `${each} (${conditions.join(', ')})`;
    })
    .join(', else ');
}

/** Does not check models of remote servers. @throws CommandError, which names the nearest model. */
async function assertModelExists(context: CommandContext, model: string): Promise<void> {
  const { home, environment } = context;
  const { upstreams } = await loadSettings({ home, environment, flags: {} });
  if (Object.keys(upstreams).some((name) => model.startsWith(`${name}/`))) return;
  const library = await openLibrary(context);
  const found = await library.find(model).catch((error: unknown) => {
    if (error instanceof HearthError && error.code === 'model_not_found') return undefined;
    throw error;
  });
  if (found !== undefined) return;
  const meant = nearestModel(
    model,
    (await library.list()).map(({ key }) => key),
  );
  const advice = meant === undefined ? '`hearth ls` lists the models.' : `Did you mean ${meant}?`;
  throw new CommandError(
    `Model "${model}" not found. ${advice} To set the alias before the model is there, add --force.`,
  );
}

export const aliasRm = defineCommand({
  positionals: { alias: required('Name of the alias') },
  options: jsonOption,
  examples: ['hearth alias rm gpt-4o-mini'],
  async run({ context, options, positionals: { alias } }) {
    const isRemoved = await openAliases(context).remove(alias);
    if (!isRemoved) throw new CommandError(`Alias "${alias}" not found. See \`hearth alias ls\`.`);
    writeResult(context.terminal, options, { name: alias, removed: true }, `Removed ${alias}`);
  },
});
