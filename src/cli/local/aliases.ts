import { createAliasSource } from '../../settings/alias-source.ts';
import { HearthError } from '../../kernel/errors/errors.ts';
import { createModelAliases, type ModelAliases } from '../../library/model-aliases.ts';
import type { CommandContext } from '../context.ts';
import { CommandError } from '../failure.ts';

/**
 * Reads or changes the aliases in config.json of the home folder; needs no running server, and a running one
 * uses the change at once.
 *
 * @throws SettingsError if the file is invalid; CommandError if the alias is.
 */
export async function withAliases<Result>(
  { home, environment }: CommandContext,
  work: (aliases: ModelAliases) => Promise<Result>,
): Promise<Result> {
  try {
    return await work(createModelAliases(createAliasSource({ home, environment, flags: {} })));
  } catch (error) {
    throw error instanceof HearthError ? new CommandError(error.message) : error;
  }
}
