import * as z from 'zod';
import {
  describeDefault,
  settingDeclaration,
  settingKeys,
  settingType,
  type SettingKey,
} from './settings-table.ts';
import { environmentVariables, flagName } from './setting-names.ts';

type JsonSchema = Readonly<Record<string, unknown>>;

/** `docs/settings.md`. */
export function settingsPage(): string {
  const sections = groups().flatMap(([group, keys]) => [`## ${group}`, ...keys.map(section)]);
  return `${[introduction, ...sections].join('\n\n')}\n`;
}

/** `docs/config.schema.json`: the JSON schema of `config.json`, with nested and with dotted keys. */
export function configSchema(): JsonSchema {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Settings of Hearth (config.json)',
    type: 'object',
    properties: { $schema: { type: 'string' }, ...propertiesBelow('') },
    additionalProperties: false,
    $defs: Object.fromEntries(
      settingKeys.map((key) => [
        key,
        { description: settingDeclaration(key).description, ...valueSchema(key) },
      ]),
    ),
  };
}

/** Properties of the object for keys with a prefix, such as `server.`; includes nested and dotted keys. */
function propertiesBelow(prefix: string): JsonSchema {
  const keys = settingKeys.filter((key) => key.startsWith(prefix));
  const groupNames = new Set(
    keys.flatMap((key) => {
      const words = key.slice(prefix.length).split('.');
      return words.slice(1).map((_, index) => words.slice(0, index + 1).join('.'));
    }),
  );
  return {
    ...Object.fromEntries(
      [...groupNames].map((name) => [
        name,
        {
          type: 'object',
          properties: propertiesBelow(`${prefix}${name}.`),
          additionalProperties: false,
        },
      ]),
    ),
    ...Object.fromEntries(
      keys.map((key) => [key.slice(prefix.length), { $ref: `#/$defs/${key}` }]),
    ),
  };
}

const introduction = `# Settings

Hearth reads its settings from four sources. A source overrides those below it in this list:

1. **Flags** of \`hearth serve\`, \`hearth server start\` and \`hearth service install\`, such as
   \`--models-ttl-seconds 600\`.
2. **Environment variables**, such as \`HEARTH_MODELS_TTL_SECONDS=600\`. Lists are separated by commas. An empty
   variable counts as unset.
3. **\`config.json\`** in the home folder: \`~/.hearth\`, or the folder that \`--home\` or \`HEARTH_HOME\` names.
4. **Defaults**.

\`\`\`json
{
  "$schema": "./config.schema.json",
  "server": { "port": 8080 },
  "models": { "ttlSeconds": 600, "preload": ["hearth/starter-chat"] }
}
\`\`\`

With an invalid value, the server does not start; the message names the key, the source and the allowed values. Unknown keys of
\`config.json\` are ignored with a warning, except in \`auth\` and \`server\`: a misspelt \`auth.required\` must never open a server.

\`config.json\` may contain comments. In all paths, \`~\` is your home folder, and a relative path starts at the home folder of
Hearth. For completion in an editor, copy [config.schema.json](config.schema.json) into the home folder of Hearth and refer to it
with \`$schema\`.

## Change settings

\`\`\`sh
hearth config ls                             # values and their sources
hearth config get models.ttlSeconds
hearth config set models.ttlSeconds 600      # validated, written to config.json
hearth config unset models.ttlSeconds
\`\`\`

These commands keep comments and formatting, need no running server, and report which changes need a restart. Settings marked
**Live** take effect at once when they are changed with these commands, with \`PATCH /api/v1/settings\` or in the web app. The
endpoint needs the permission \`admin\` and never returns secrets. A flag or an environment variable still overrides the file;
the response names it.

## Home folder

The home folder is \`~/.hearth\`; \`--home\` or \`HEARTH_HOME\` chooses another one. One server uses it at a time.

| File                           | Content                                                                                     |
| ------------------------------ | ------------------------------------------------------------------------------------------- |
| \`config.json\`                | the settings                                                                                |
| \`catalog.json\`               | the list of another [catalog](downloads.md#the-catalog)                                     |
| \`models.json\`                | the settings of [models](models.md#settings-of-a-model), and profiles                      |
| \`mcp.json\`                   | MCP servers, see [tools](tools.md#plugins-mcpjson)                                          |
| \`hearth.db\`                  | [conversations](conversations.md), images, API tokens, download jobs, batches (\`store.url\`) |
| \`models/\`                    | the [model library](models.md) (\`models.dir\`)                                             |
| \`runtimes/\`                  | installed [runtimes](runtimes.md)                                  |
| \`warm-state/\`                | saved states of conversations, see [warm state](contributing/warm-state.md)                            |
| \`logs/\`                      | the log of the [background server](observability.md#log)                                    |
| \`server.json\`, \`run/\`      | address of the running server, sockets of its engines                                       |
| \`owner-token\`                | token of the owner, which each start replaces                                               |
| \`home-id\`, \`server.lock\`   | identity and lock of the folder                                                             |

[Back up](upgrade.md#back-up) describes how to save and move it.

## Proxies

Proxies for outbound requests are not settings: Hearth reads \`HTTP_PROXY\`, \`HTTPS_PROXY\` and \`NO_PROXY\`. A proxy without
a scheme is an HTTP proxy; \`socks5://\` and \`socks5h://\` work too. If a proxy is invalid, Hearth logs a warning, and only
outbound requests fail.`;

function section(key: SettingKey): string {
  const { description, isSecret, isLive, path } = settingDeclaration(key);
  const standard = describeDefault(key);
  const isComputed = settingDeclaration(key).computedDefault !== undefined;
  const facts = [
    [
      'Type',
      path === undefined || settingType(key).name === 'list' ? describeType(key) : pathTypes[path],
    ],
    ['Default', standard === '' ? 'none' : isComputed ? standard : describeValue(key, standard)],
    ['Flag', `\`--${flagName(key)}\``],
    [
      'Environment',
      environmentVariables(key)
        .map((variable) => `\`${variable}\``)
        .join(', '),
    ],
    ...(isLive === true ? [['Live', 'yes: takes effect without a restart']] : []),
    ...(isSecret === true
      ? [['Secret', 'yes: never logged; pass it in the environment or the file']]
      : []),
  ];
  return [
    `### ${key}`,
    description,
    facts.map(([name, fact]) => `- **${name}:** ${fact}`).join('\n'),
  ]
    .join('\n\n')
    .replaceAll('<home>', '`<home>`');
}

/** JSON schema of a value in `config.json`. */
function valueSchema(key: SettingKey): JsonSchema {
  const { $schema: _, ...schema } = z.toJSONSchema(settingDeclaration(key).schema, {
    io: 'output',
  });
  return schema;
}

function describeType(key: SettingKey): string {
  const { name, minimum, maximum, choices } = settingType(key);
  if (choices !== undefined) return choices.map((choice) => `\`${choice}\``).join(', ');
  if (name === 'integer') {
    const isUnlimited = maximum === Number.MAX_SAFE_INTEGER;
    return `integer, ${minimum} ${isUnlimited ? 'or more' : `to ${maximum}`}`;
  }
  if (name === 'object') return 'object; JSON in a flag or variable';
  if (name === 'list') return 'list of strings';
  return name === 'url' ? 'URL (http or https)' : name;
}

/** The default value; a number of bytes is also given in GiB or MiB. */
function describeValue(key: SettingKey, value: string): string {
  const mebibytes = Number(value) / 1024 ** 2;
  if (!key.endsWith('Bytes')) return `\`${value}\``;
  return `\`${value}\` (${mebibytes >= 1024 ? `${mebibytes / 1024} GiB` : `${mebibytes} MiB`})`;
}

const pathTypes = { path: 'path', name: 'path, or the name of a program' };

/** The keys grouped by their first part, in the order of the table. */
function groups(): readonly (readonly [string, readonly SettingKey[]])[] {
  const groupOf = (key: SettingKey): string => key.split('.')[0] ?? key;
  return [...new Set(settingKeys.map(groupOf))].map((group) => [
    group,
    settingKeys.filter((key) => groupOf(key) === group),
  ]);
}
