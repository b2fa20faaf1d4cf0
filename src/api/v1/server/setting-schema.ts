import * as z from 'zod';
import { defineRoute } from '../../kit/route.ts';
import * as named from '../../kit/named.ts';

const settingEntrySchema = z
  .union([
    z.string().max(65_536),
    z.number(),
    z.record(z.string(), z.unknown()).meta({ id: 'SettingObject' }),
  ])
  .meta({ id: 'SettingEntry', description: 'What a setting that is an object has for a name.' });

const settingValueSchema = named.union('SettingValue', [
  z.boolean(),
  z.number(),
  z.string().max(65_536),
  z.array(z.string().max(65_536)).max(10_000),
  z.record(z.string().max(512), settingEntrySchema),
]);

const exampleSetting = {
  key: 'models.ttlSeconds',
  description: 'Idle time after which a just-in-time instance is unloaded.',
  type: 'integer',
  minimum: 1,
  maximum: 31_536_000,
  value: 600,
  default: 3600,
  source: 'file',
  source_name: 'config.json',
  secret: false,
  live: true,
  restart_pending: false,
};

const settingSchema = named.object('Setting', {
  key: z.string(),
  description: z.string(),
  type: z.enum(['boolean', 'integer', 'string', 'url', 'list', 'object']),
  minimum: z.number().optional().describe('Of an integer.'),
  maximum: z.number().optional().describe('Of an integer.'),
  choices: z.array(z.string()).optional().describe('The allowed values, if there are few.'),
  value: settingValueSchema
    .nullable()
    .describe('Configured value; null if unset, and for a secret.'),
  is_set: z.boolean().optional().describe('Of a secret: whether it has a value.'),
  default: settingValueSchema.nullable().describe('Null if it has none, or is computed.'),
  computed_default: z.string().optional().describe('A default that depends on the machine.'),
  source: z.enum(['flag', 'environment', 'file', 'default']),
  source_name: z
    .string()
    .describe('Such as `--server-port`, `HEARTH_SERVER_PORT` or `config.json`.'),
  secret: z.boolean(),
  live: z.boolean().describe('Whether a change takes effect without a restart.'),
  restart_pending: z
    .boolean()
    .describe('Whether the configured value takes effect with the next start of the server.'),
});
export type SettingRecord = z.infer<typeof settingSchema>;

const warningsSchema = z
  .array(z.string())
  .describe('Of config.json, such as an unknown setting, which is ignored.');

const exampleSettingList = {
  file: '/home/ada/.hearth/config.json',
  settings: [exampleSetting],
  warnings: [],
};

export const listSettings = defineRoute('GET /api/v1/settings', {
  operationId: 'listSettings',
  summary: 'List the settings with their values and sources',
  description: 'Secrets are left out.',
  permission: 'admin',
  result: named.object('SettingList', [exampleSettingList], {
    file: z.string().describe('Path of config.json.'),
    settings: z.array(settingSchema),
    warnings: warningsSchema,
  }),
  errors: ['conflict'],
});

const exampleChangedSettings = {
  settings: [exampleSetting],
  applied: ['models.ttlSeconds'],
  restart_required: [],
  overridden: [],
  warnings: [],
};

export const changeSettings = defineRoute('PATCH /api/v1/settings', {
  operationId: 'changeSettings',
  hasSecrets: true,
  summary: 'Change settings in config.json',
  description:
    'All changes are validated before the file is written; comments and formatting stay. Null removes a setting from the file. A flag or an environment variable continues to override the file. Settings that are not `live` take effect after a restart.',
  permission: 'admin',
  body: z
    .record(z.string().min(1).max(100), settingValueSchema.nullable())
    .refine((changes) => Object.keys(changes).length > 0, 'It must name at least one setting')
    .meta({
      id: 'SettingChanges',
      examples: [{ 'models.ttlSeconds': 600, 'hub.token': null }],
    }),
  result: named.object('ChangedSettings', [exampleChangedSettings], {
    settings: z.array(settingSchema).describe('The changed ones.'),
    applied: z.array(z.string()).describe('Keys that took effect.'),
    restart_required: z.array(z.string()).describe('Keys that take effect with the next start.'),
    overridden: z
      .array(named.object('OverriddenSetting', { key: z.string(), by: z.string() }))
      .describe('Keys whose value in the file has no effect.'),
    warnings: warningsSchema,
  }),
  errors: ['conflict'],
});
