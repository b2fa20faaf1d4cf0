import { isPostgresUrl } from '../../kernel/postgres-url.ts';
import { dirname, join, sep } from 'node:path';
import { isSecretSetting, type SettingKey } from '../../settings/settings-table.ts';
import { loadSettings } from '../../settings/settings.ts';
import type { CommandContext } from '../command.ts';
import { UsageError } from '../failure.ts';
import { settingsFromFlags, toCommandLine, type ServeValues } from '../serve-options.ts';
import type { ServiceFacts, ServiceScope } from './service-definition.ts';
import type { ServiceMachine } from './service-machine.ts';

/** Facts that only name a service, without reading settings. Enough if its files are not written. */
export function serviceNames(
  context: Pick<CommandContext, 'home' | 'isDefaultHome'>,
  machine: ServiceMachine,
  scope: ServiceScope,
): ServiceFacts {
  const { homes, serviceFolders, ...facts } = machine;
  return {
    ...facts,
    scope,
    home: context.isDefaultHome === true ? homes[scope] : context.home,
    serveArguments: [],
    serviceFolder: serviceFolders[scope],
    shutdownSeconds: 0,
    port: 0,
    writableFolders: [],
    readableFolders: [],
  };
}

/**
 * Facts of a service that runs with these options of `hearth serve`. It does not inherit environment variables: its
 * settings come from the options and from `config.json` in its home.
 *
 * @throws UsageError for a secret option; SettingsError.
 */
export async function serviceFacts(
  context: CommandContext,
  machine: ServiceMachine,
  scope: ServiceScope,
  values: ServeValues,
): Promise<ServiceFacts> {
  const names = serviceNames(context, machine, scope);
  const { home } = names;
  const flags = settingsFromFlags(values);
  const secret = (Object.keys(flags) as SettingKey[]).find(isSecretSetting);
  if (secret !== undefined) {
    throw new UsageError(
      `${secret} is secret, and every user can read the options of a service. Set it in ${join(home, 'config.json')}.`,
    );
  }
  const settings = await loadSettings({
    home,
    environment: {},
    flags,
    userHome: dirname(home),
  });
  const url = settings['store.url'];
  const isOutside = (folder: string) => folder !== home && !folder.startsWith(home + sep);
  const written = [
    settings['models.dir'],
    url === undefined || isPostgresUrl(url) ? undefined : dirname(url),
  ];
  return {
    ...names,
    serveArguments: toCommandLine(values),
    shutdownSeconds: settings['limits.shutdownSeconds'],
    port: settings['server.port'],
    writableFolders: written.filter(
      (folder): folder is string => folder !== undefined && isOutside(folder),
    ),
    readableFolders: settings['models.extraDirs'],
  };
}
