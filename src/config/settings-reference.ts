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

/** Properties of the object at a prefix of the keys, such as `server.`: nested and with dotted keys. */
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

Hearth reads its settings from four sources. A source that stands earlier in this list overrides the later ones:

1. **Flags** of \`hearth serve\` and \`hearth server start\`, such as \`--models-ttl-seconds 600\`.
2. **Environment variables**, such as \`HEARTH_MODELS_TTL_SECONDS=600\`. Lists are separated by commas. An empty
   variable counts as unset.
3. **\`config.json\`** in the home folder: \`~/.hearth\`, or the folder that \`--home\` or \`HEARTH_HOME\` names.
4. **Defaults**.

\`\`\`json
{
  "$schema": "./config.schema.json",
  "server": { "port": 8080 },
  "models": { "ttlSeconds": 600, "pinned": ["hearth/starter-chat"] }
}
\`\`\`

Hearth checks all settings at startup. An invalid value ends the start with a message that names the key, its source and
the allowed values. An unknown key of \`config.json\` is ignored with a warning that names the nearest setting, so that an
older version starts with the file of a newer one. Unknown keys that are, or resemble, settings of \`auth\` and \`server\`
end the start: a misspelt \`auth.required\` must never open a server.

\`config.json\` may have comments. \`~\` in a path is the home folder of the user, and relative paths start at the home
folder of Hearth, whatever source they come from. For completion in an editor, copy
[config.schema.json](config.schema.json) into the home folder and reference it with \`$schema\`.

## Change settings

\`\`\`sh
hearth config ls                             # values and their sources
hearth config get models.ttlSeconds
hearth config set models.ttlSeconds 600      # validated, written to config.json
hearth config unset models.ttlSeconds
\`\`\`

These commands keep comments and formatting, need no running server, and tell which change needs a restart of one. Settings
marked **Live** take effect at once when they are changed with these commands, with \`PATCH /api/v1/settings\` or on the page.
The endpoint needs the permission \`admin\` and never answers with secrets. A flag or an environment variable continues to
override the file, and the answer names it.

Proxies for outbound requests are not settings: Hearth reads \`HTTP_PROXY\`, \`HTTPS_PROXY\` and \`NO_PROXY\`. A proxy without
a scheme is an HTTP proxy; \`socks5://\` and \`socks5h://\` work too. One that can't be used is named in a warning, and only
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
    ['Default', standard === '' ? 'none' : isComputed ? standard : `\`${standard}\``],
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
  if (name === 'integer') return `integer, ${minimum} to ${maximum}`;
  if (name === 'object') return 'object of strings; JSON in a flag or variable';
  if (name === 'list') return 'list of strings';
  return name === 'url' ? 'URL (http or https)' : name;
}

const pathTypes = { path: 'path', name: 'path, or the name of a program' };

/** The keys by their first part, in the order of the table. */
function groups(): readonly (readonly [string, readonly SettingKey[]])[] {
  const groupOf = (key: SettingKey): string => key.slice(0, key.indexOf('.'));
  return [...new Set(settingKeys.map(groupOf))].map((group) => [
    group,
    settingKeys.filter((key) => groupOf(key) === group),
  ]);
}
