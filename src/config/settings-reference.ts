import * as z from 'zod';
import {
  describeDefault,
  environmentVariables,
  flagName,
  settingDeclaration,
  settingKeys,
  type SettingKey,
} from './settings-table.ts';

type JsonSchema = Readonly<Record<string, unknown>>;

/** `docs/settings.md`. */
export function settingsPage(): string {
  const sections = groups().flatMap(([group, keys]) => [`## ${group}`, ...keys.map(section)]);
  return `${[introduction, ...sections].join('\n\n')}\n`;
}

/** `docs/config.schema.json`: the JSON schema of `config.json`, with nested and with dotted keys. */
export function configSchema(): JsonSchema {
  const reference = (key: SettingKey): JsonSchema => ({ $ref: `#/$defs/${key}` });
  const nested = groups().map(([group, keys]) => [
    group,
    {
      type: 'object',
      properties: Object.fromEntries(
        keys.map((key) => [key.slice(group.length + 1), reference(key)]),
      ),
      additionalProperties: false,
    },
  ]);
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Settings of Hearth (config.json)',
    type: 'object',
    properties: {
      $schema: { type: 'string' },
      ...Object.fromEntries(nested),
      ...Object.fromEntries(settingKeys.map((key) => [key, reference(key)])),
    },
    additionalProperties: false,
    $defs: Object.fromEntries(
      settingKeys.map((key) => [
        key,
        { description: settingDeclaration(key).description, ...valueSchema(key) },
      ]),
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

Hearth checks all settings at startup. An unknown key or an invalid value ends the start with a message that names
the key, its source and the allowed values. For completion in an editor, copy
[config.schema.json](config.schema.json) into the home folder and reference it with \`$schema\`.`;

function section(key: SettingKey): string {
  const { description, isSecret } = settingDeclaration(key);
  const standard = describeDefault(key);
  const isComputed = settingDeclaration(key).computedDefault !== undefined;
  const facts = [
    ['Type', describeType(valueSchema(key))],
    ['Default', standard === '' ? 'none' : isComputed ? standard : `\`${standard}\``],
    ['Flag', `\`--${flagName(key)}\``],
    [
      'Environment',
      environmentVariables(key)
        .map((variable) => `\`${variable}\``)
        .join(', '),
    ],
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

function describeType({ type, minimum, maximum, enum: choices, format }: JsonSchema): string {
  if (Array.isArray(choices)) return choices.map((choice) => `\`${String(choice)}\``).join(', ');
  if (type === 'integer') return `integer, ${String(minimum)} to ${String(maximum)}`;
  if (type === 'object') return 'object of strings; JSON in a flag or variable';
  if (type === 'array') return 'list of strings';
  return format === 'uri' ? 'URL (http or https)' : String(type);
}

/** The keys by their first part, in the order of the table. */
function groups(): readonly (readonly [string, readonly SettingKey[]])[] {
  const groupOf = (key: SettingKey): string => key.slice(0, key.indexOf('.'));
  return [...new Set(settingKeys.map(groupOf))].map((group) => [
    group,
    settingKeys.filter((key) => groupOf(key) === group),
  ]);
}
